#include "runtime/schedule/scheduler.h"

#include <errno.h>

#include "base/search.h"
#include "runtime/control/failure.h"
#include "runtime/debug/annotate.h"
#include "runtime/engine/engine.h"
#include "runtime/engine/hosts.h"
#include "runtime/engine/stacks.h"
#include "runtime/graph/collector.h"
#include "runtime/interpose/locks/mutexes.h"
#include "runtime/record/call_sites.h"
#include "runtime/record/observe.h"
#include "runtime/record/session.h"
#include "runtime/runtime.h"
#include "runtime/schedule/choice.h"
#include "runtime/schedule/wait_queue.h"
#include "runtime/signals/signals.h"

namespace heddle::runtime {

HotState hot;
namespace {

constexpr SchedulerState& state = rt.scheduler;

void retire_exited_thread() {
  Thread* exited = state.exited_waiting_for_retirement;
  state.exited_waiting_for_retirement = nullptr;
  retire_thread(exited);
  abandon_robust_mutexes(exited);
  if (exited->detached || exited->joined) release_thread(exited);
}

[[gnu::cold, gnu::noinline]] void run_deferred_work() {
  hot.deferred_work = rt.debug.stack_request.take != nullptr;
  if (state.exited_waiting_for_retirement != nullptr) retire_exited_thread();
  if (rt.debug.stack_request.take != nullptr) answer_stack_request();
}

// The current thread has the turn again. Its caller then delivers signals, which also installs its alternate stack.
inline void take_turn() {
  if (hot.deferred_work) [[unlikely]]
    run_deferred_work();
}

std::uint8_t take_point_flag() {
  const bool at_point = hot.current->point_unrecorded;
  set_point_unrecorded(false);
  return at_point ? format::kPoint : 0;
}

void begin_recorded_point() {
  if (!hot.record) return;
  record_passed_point();
  set_point_unrecorded(true);
}

[[gnu::noinline]] void record_watched_event(EventKind kind, const void* object, std::uint64_t value) {
  if (hot.observe) observe_operation(kind, object);
  if (hot.graph != GraphWork::None) collect_operation(kind, object);
  if (!hot.record) return;
  const auto flags = static_cast<std::uint8_t>(format::kHasValue | take_point_flag());
  ring_write(format::ring_head(kind, flags, 0, number(find_call_site())), reinterpret_cast<std::uint64_t>(object),
             value);
}

inline void record_event(EventKind kind, const void* object, std::uint64_t value) {
  if (hot.watch) [[unlikely]]
    record_watched_event(kind, object, value);
}

void hash_event(EventKind kind, std::uint64_t what) {
  add_to_hash(*hot.progress, hot.thread_word | static_cast<std::uint64_t>(kind) << 32 | (what & 0xffffffffu));
}

// Takes the next id and the next ordinal among the children of its parent.
void number_thread(Thread* thread) {
  ++state.threads_created;
  if (Thread* parent = thread_by_id(thread->parent); parent != nullptr) ++parent->children;
  state.threads_by_handle[static_cast<std::uintptr_t>(thread->handle)] = thread;
}

void make_runnable(Thread* thread, WakeReason reason) {
  thread->wake_reason = reason;
  thread->state = ThreadState::Runnable;
}

}  // namespace

// A thread that yields, or sleeps for no time, is not preempted there.
static inline bool gives_way(EventKind pending) { return pending == EventKind::Yield || pending == EventKind::Sleep; }

void record_passed_point() {
  if (!hot.current->point_unrecorded) return;
  set_point_unrecorded(false);
  ring_write(format::ring_head(EventKind::Passed, 0, 0, 0), 0);
}

[[gnu::always_inline]] void end_run(Thread* next, bool preemption) {
  Thread* self = hot.current;
  format::SessionProgress& progress = *hot.progress;
  const std::uint64_t points = progress.steps - rt.choice.run_begin_step;
  const std::uint64_t check = progress.event_hash & 0xffffffffu;
  if (next != self) {
    ++progress.switches;
    if (preemption && !gives_way(self->pending_kind)) ++progress.preemptions;
    next->turns.ran = ++rt.choice.turns;
  }
  ring_write(format::ring_head(EventKind::Switch,
                               static_cast<std::uint8_t>(format::kHasValue | (preemption ? format::kPreemption : 0)), 0,
                               static_cast<std::uint32_t>(points)),
             number(next->id) | check << 32,
             number(self->pending_site) | static_cast<std::uint64_t>(self->pending_kind) << 32);
  annotate_switch(self);
  rt.choice.run_begin_step = progress.steps;
}

[[gnu::always_inline]] void give_turn(Thread* next) {
  Thread* self = hot.current;
  if (next == self) return;
  debug_switch(self, next);
  set_current(next);
  hot.progress->current = number(next->id);
  transfer_turn(self, next);
  take_turn();
}

void announce(EventKind kind, const void* object) {
  Thread* self = hot.current;
  const std::uint32_t object_id = object_number(object);
  hash_event(kind, object_id);
  set_pending(self, kind, kNoSite, object, object_id);
  begin_recorded_point();
  if (++hot.progress->steps >= hot.next_choice && !on_alternate_stack()) choose_at_point();
  deliver_pending_signals();
}

void point(EventKind kind, const void* object, std::uint64_t value) {
  announce(kind, object);
  record_event(kind, object, value);
}

void note(EventKind kind, const void* object, std::uint64_t value) {
  hash_event(kind, object_number(object) ^ value << 20);
  record_event(kind, object, value);
}

void note_unhashed(EventKind kind, const void* object) {
  if (hot.graph != GraphWork::None) collect_operation(kind, object);
  if (!hot.record) return;
  record_passed_point();
  ring_write(format::ring_head(kind, 0, 0, number(find_call_site())), reinterpret_cast<std::uint64_t>(object));
}

void note_thread(EventKind kind, Thread* other) {
  hash_event(kind, number(other->id));
  if (hot.observe) observe_thread(kind, other);
  // A fork is written even if events are not recorded, because the host derives descent names from forks.
  if (hot.record || kind == EventKind::Fork)
    ring_write(
        format::ring_head(kind, hot.record ? take_point_flag() : 0, 0, number(hot.record ? find_call_site() : kNoSite)),
        number(other->id));
}

[[gnu::always_inline]] inline void pass_turn(EventKind kind) {
  hash_event(kind, 0);
  set_pending(hot.current, kind, kNoSite, nullptr, 0);
  begin_recorded_point();
  ++hot.progress->steps;
  if (!on_alternate_stack()) choose_at_yield();
}

void announce_yield(EventKind kind) {
  pass_turn(kind);
  deliver_pending_signals();
}

void yield() {
  pass_turn(EventKind::Yield);
  record_event(EventKind::Yield, nullptr, 0);
  deliver_pending_signals();
}

// The stack costs more than a short run, so the runs of a fork server leave it out.
[[gnu::cold, gnu::noinline]] static void describe_early_timeout(Thread* self) {
  format::SessionResult& result = session()->result;
  const std::uint64_t ns = self->early_timeout_ns;
  self->early_timeout_ns = 0;
  if ((session()->config.flags & format::kForkServer) != 0 || result.early_described == format::kEarlyTimeoutsMax)
    return;
  format::EarlyTimeout& early = result.early[result.early_described];
  early.thread = number(self->id);
  early.ns = ns;
  capture_stack(early.stack);
  ++result.early_described;
}

WakeReason block(const WaitSpec& spec) {
  Thread* self = hot.current;
  self->wait = spec;
  set_pending(self, spec.kind, kNoSite, spec.key, object_number(spec.key));
  self->state = ThreadState::Blocked;
  if (spec.key != nullptr) enqueue_waiter(self, spec.key);
  if (spec.deadline_ns != kNoDeadline) add_timer(self);
  choose_when_blocked();
  dequeue_waiter(self);
  if (spec.deadline_ns != kNoDeadline) remove_timer(self);
  const WakeReason reason = self->wake_reason;
  if (self->early_timeout_ns != 0) [[unlikely]]
    describe_early_timeout(self);
  if (hot.observe) observe_wait_end(spec.kind, reason);
  deliver_pending_signals();  // after the wait has ended, because a handler may block
  return reason;
}

std::uint32_t wake(const void* key, std::uint32_t count) {
  std::uint32_t woken = 0;
  while (woken < count) {
    Thread* chosen = choose_waiter(key, count - woken);
    if (chosen == nullptr) break;
    dequeue_waiter(chosen);
    make_runnable(chosen, WakeReason::Woken);
    ++woken;
  }
  return woken;
}

std::uint32_t count_waiters(const void* key) {
  std::uint32_t count = 0;
  for (Thread* t = first_waiter(key); t != nullptr; t = next_waiter(t)) ++count;
  return count;
}

void interrupt(Thread* thread, WakeReason reason) {
  if (thread->state != ThreadState::Blocked) return;
  dequeue_waiter(thread);
  make_runnable(thread, reason);
}

void open_gate(const void* key) {
  for (Thread* t = first_waiter(key); t != nullptr; t = next_waiter(t))
    if (t->state == ThreadState::Blocked) make_runnable(t, WakeReason::Woken);
}

void close_gate(const void* key) {
  for (Thread* t = first_waiter(key); t != nullptr; t = next_waiter(t))
    if (t->state == ThreadState::Runnable && t->wake_reason == WakeReason::Woken) t->state = ThreadState::Blocked;
}

Thread* create_thread(Thread* parent) {
  Thread* thread = state.spare_threads.take();
  thread->id = ThreadId{state.threads_created};
  if (parent == nullptr) {
    thread->parent = kNoThread;
    thread->descent = kMainDescent;
  } else {
    thread->parent = parent->id;
    thread->ordinal = parent->children + 1;
    thread->descent = child_descent(parent->descent, thread->ordinal);
    thread->signal_mask = parent->signal_mask;
  }
  thread->wait.deadline_ns = kNoDeadline;
  thread->timeout_ns = kNoDeadline;
  thread->pending_kind = EventKind::Begin;
  thread->state = ThreadState::Blocked;  // until start_thread() has succeeded and it is registered
  thread->process = process_id();
  return thread;
}

void register_thread(Thread* thread) {
  number_thread(thread);
  thread->state = ThreadState::Runnable;
  state.live_threads.push_back(thread);
  hot.progress->threads = state.threads_created - state.threads_disabled;
  debug_thread_created(thread);
}

bool is_disabled(const Thread* thread) {
  const format::SessionConfig& config = session()->config;
  const auto* disabled = session_input<std::uint64_t>(config.disabled_offset);
  for (std::uint64_t i = 0; i < config.disabled_count; ++i)
    if (disabled[i] == thread->descent) return true;
  return false;
}

void register_disabled_thread(Thread* thread) {
  thread->never_started = true;
  thread->handle = reinterpret_cast<pthread_t>(thread);
  thread->state = ThreadState::Exited;
  ++state.threads_disabled;
  number_thread(thread);
}

void abandon_thread(Thread* thread) { state.spare_threads.give(thread); }

void release_thread(Thread* thread) {
  state.threads_by_handle.erase(static_cast<std::uintptr_t>(thread->handle));
  if (thread->id == kMainThread) return;  // its kernel thread is that of the process and keeps sleeping on this stack
  if (!thread->never_started && !return_prepared_host(thread)) release_stack({thread->stack_begin, thread->stack_size});
  abandon_thread(thread);
}

void exit_current_thread() {
  Thread* self = hot.current;
  self->state = ThreadState::Exited;
  state.live_threads.erase_first([self](const Thread* thread) { return thread == self; });
  if (Thread*& recent = state.recent_threads[number(self->id) % SchedulerState::kRecentThreads]; recent == self)
    recent = nullptr;
  open_gate(self);  // joiners
  Thread* next = choose_after_exit();
  debug_switch(self, next);
  set_current(next);
  hot.progress->current = number(next->id);
  state.exited_waiting_for_retirement = self;
  hot.deferred_work = true;
  transfer_turn_at_exit(self, next);
}

void begin_turn_of_new_thread() {
  hot.current->error_number = &errno;
  take_turn();
  take_alternate_stack();
}

Thread* find_thread(pthread_t handle) {
  Thread** found = state.threads_by_handle.find(static_cast<std::uintptr_t>(handle));
  return found == nullptr ? nullptr : *found;
}

Thread* thread_by_id(ThreadId id) {
  Thread*& recent = state.recent_threads[number(id) % SchedulerState::kRecentThreads];
  if (recent != nullptr && recent->id == id) [[likely]]
    return recent;
  const std::size_t at =
      search(state.live_threads.size(), [id](std::uint64_t i) { return state.live_threads[i]->id < id; });
  if (at == state.live_threads.size() || state.live_threads[at]->id != id) return nullptr;
  return recent = state.live_threads[at];
}

std::uint32_t live_thread_count() { return static_cast<std::uint32_t>(state.live_threads.size()); }

}  // namespace heddle::runtime
