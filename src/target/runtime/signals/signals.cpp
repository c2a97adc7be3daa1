#include "runtime/signals/signals.h"

#include <errno.h>
#include <poll.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include "runtime/interpose/threads/cancellation.h"
#include "runtime/io/external.h"
#include "runtime/io/processes/processes.h"
#include "runtime/os/raw_syscall.h"
#include "runtime/runtime.h"
#include "runtime/schedule/limits.h"
#include "runtime/signals/signal_actions.h"
#include "runtime/signals/signal_descriptors.h"
#include "runtime/signals/signal_timers.h"

namespace heddle::runtime {

namespace {

constexpr int kFirstRealTime = 34;
constexpr std::uint64_t kNeverBlocked = signal_bit(SIGKILL) | signal_bit(SIGSTOP) | signal_bit(32) | signal_bit(33);

constexpr SignalState& state = rt.signals;

QueuedSignal* unlink_after(QueuedSignal** link) {
  QueuedSignal* taken = *link;
  *link = taken->next;
  state.spare.give(taken);
  return taken;
}

std::uint64_t queued_for(ThreadId target) {
  std::uint64_t set = 0;
  for (const QueuedSignal* queued = state.queue; queued != nullptr; queued = queued->next)
    if (queued->target == target) set |= signal_bit(queued->info.si_signo);
  return set;
}

void update_pending(Thread* thread) {
  thread->signals_pending = queued_for(thread->id);
  state.process_pending = queued_for(kNoThread);
}

template <typename Predicate>
void remove_queued_if(Predicate predicate) {
  for (QueuedSignal** link = &state.queue; *link != nullptr;)
    if (predicate((*link)->info))
      unlink_after(link);
    else
      link = &(*link)->next;
  for (Thread* thread : rt.scheduler.live_threads) update_pending(thread);
}

void append(Thread* target, const siginfo_t& info) {
  const ThreadId id = target == nullptr ? kNoThread : target->id;
  const std::uint64_t bit = signal_bit(info.si_signo);
  std::uint64_t& pending = target == nullptr ? state.process_pending : target->signals_pending;
  if (info.si_signo < kFirstRealTime && (pending & bit) != 0) return;  // standard signals do not queue
  QueuedSignal** link = &state.queue;
  while (*link != nullptr) {
    // Signals to threads that have exited are dropped.
    if ((*link)->target != kNoThread && thread_by_id((*link)->target) == nullptr)
      unlink_after(link);
    else
      link = &(*link)->next;
  }
  QueuedSignal* queued = state.spare.take();
  queued->target = id;
  __builtin_memcpy(&queued->info, &info, sizeof info);
  *link = queued;
  pending |= bit;
}

// Takes the lowest pending signal of `set`, of the current thread before those of the process. Returns 0 if there is
// none.
int take_pending(std::uint64_t set, siginfo_t* info) {
  Thread* self = current();
  for (const ThreadId target : {self->id, kNoThread}) {
    const std::uint64_t pending = (target == kNoThread ? state.process_pending : self->signals_pending) & set;
    if (pending == 0) continue;
    const int signal = __builtin_ctzll(pending) + 1;
    for (QueuedSignal** link = &state.queue; *link != nullptr; link = &(*link)->next) {
      if ((*link)->target != target || (*link)->info.si_signo != signal) continue;
      __builtin_memcpy(info, &unlink_after(link)->info, sizeof *info);
      update_pending(self);
      return signal;
    }
  }
  return 0;
}

bool accepts(const Thread* thread, int signal) { return (thread->signal_mask & signal_bit(signal)) == 0; }
bool awaits(const Thread* thread, int signal) { return (thread->signals_awaited & signal_bit(signal)) != 0; }

// The thread that receives a signal sent to the process; nullptr: it stays pending until a thread unblocks it.
Thread* receiver_of(int signal) {
  Thread* receiver = nullptr;
  for (Thread* thread : rt.scheduler.live_threads) {
    if (awaits(thread, signal)) return thread;
    if (receiver == nullptr && accepts(thread, signal)) receiver = thread;
  }
  return receiver;
}

// Ends the wait of `thread` if it waits for `signal` or a handler may interrupt it.
void end_wait(Thread* thread, int signal) {
  if (thread->state != ThreadState::Blocked) return;
  if (awaits(thread, signal)) {
    interrupt(thread, WakeReason::Woken);
  } else if (thread->wait.interruptible) {
    thread->handlers_restart = true;
    interrupt(thread, WakeReason::Interrupted);
  }
}

// Performs the disposition of a signal unless it has a handler. Returns true if no handler must run.
bool act_without_handler(int signal) {
  const Disposition disposition = disposition_of(signal);
  if (disposition == Disposition::Ends) die_of_signal(signal);
  if (disposition == Disposition::Stops) pass_to_kernel(signal);
  return disposition != Disposition::Handled;
}

bool has_children() {
  siginfo_t info;
  return raw_syscall(SYS_waitid, P_ALL, 0, &info, WEXITED | WSTOPPED | WNOHANG | WNOWAIT, nullptr) != -ECHILD;
}

const void* as_object(ThreadId id) { return reinterpret_cast<const void*>(static_cast<std::uintptr_t>(number(id))); }

// Without delivering the signals that the new mask unblocks.
void replace_mask(std::uint64_t mask) {
  current()->signal_mask = mask & ~kNeverBlocked;
  collect_signals(current()->signal_mask);
  accept_outside_signals();
}

}  // namespace

void accept_outside_signals() {
  siginfo_t info;
  bool for_current_thread = false;
  while (take_arrival(&info, &for_current_thread)) queue_signal(for_current_thread ? current() : nullptr, info);
}

long change_signal_mask(int how, const std::uint64_t* set, std::uint64_t* old) {
  Thread* self = current();
  const std::uint64_t before = self->signal_mask;
  if (set != nullptr) {
    const std::uint64_t wanted = *set & ~kNeverBlocked;
    switch (how) {
      case SIG_BLOCK:
        self->signal_mask |= wanted;
        break;
      case SIG_UNBLOCK:
        self->signal_mask &= ~wanted;
        break;
      case SIG_SETMASK:
        self->signal_mask = wanted;
        break;
      default:
        return -EINVAL;
    }
    collect_signals(self->signal_mask);
  }
  if (old != nullptr) *old = before;
  deliver_pending_signals();
  return 0;
}

std::uint64_t pending_signals() {
  accept_outside_signals();
  return current()->signals_pending | state.process_pending;
}

void queue_signal(Thread* target, const siginfo_t& info) {
  const int signal = info.si_signo;
  Thread* receiver = target == nullptr ? receiver_of(signal) : target;
  if (receiver == nullptr) {
    if (!offer_to_descriptors(info)) append(nullptr, info);
    return;
  }
  if (!awaits(receiver, signal) && !accepts(receiver, signal) && offer_to_descriptors(info)) return;
  if (!awaits(receiver, signal) && accepts(receiver, signal) && act_without_handler(signal)) return;
  append(receiver, info);
  if (awaits(receiver, signal) || accepts(receiver, signal)) end_wait(receiver, signal);
}

int send_signal(Thread* target, int signal, const siginfo_t& info) {
  if (signal < 0 || signal > kSignalMax) return EINVAL;
  const ThreadId id = target->id;
  point(EventKind::SignalSent, as_object(id), static_cast<std::uint64_t>(signal));
  // A signal to a thread that has exited has no effect.
  if (signal != 0 && thread_by_id(id) != nullptr) queue_signal(target, info);
  deliver_pending_signals();
  return 0;
}

int send_signal_to_process(int signal, const siginfo_t& info) {
  if (signal < 0 || signal > kSignalMax) return EINVAL;
  point(EventKind::SignalSent, as_object(kNoThread), static_cast<std::uint64_t>(signal));
  if (signal == SIGKILL || signal == SIGSTOP)
    pass_to_kernel(signal);
  else if (signal != 0)
    queue_signal(nullptr, info);
  deliver_pending_signals();
  return 0;
}

void run_pending_handlers() {
  if (!controlled()) return;
  accept_outside_signals();
  siginfo_t info;
  for (;;) {
    Thread* self = current();
    const int signal = take_pending(~self->signal_mask & ~self->signals_awaited, &info);
    if (signal == 0) return;
    if (!act_without_handler(signal)) call_handler(signal, &info, nullptr);
  }
}

int wait_for_signal(std::uint64_t set, siginfo_t* info, std::uint64_t deadline_ns) {
  Thread* self = current();
  set &= ~kNeverBlocked;
  collect_signals(set);
  announce(EventKind::ExternalWait, nullptr);
  test_cancellation();
  siginfo_t taken;
  for (;;) {
    accept_outside_signals();
    if (const int signal = take_pending(set, &taken); signal != 0) {
      note(EventKind::SignalReceived, nullptr, static_cast<std::uint64_t>(signal));
      if (info != nullptr) __builtin_memcpy(info, &taken, sizeof taken);
      return signal;
    }
    if (deadline_ns <= clock_now()) return -EAGAIN;
    self->signals_awaited = set;
    self->awaits_signal = true;
    const WakeReason reason = block_cancellable(EventKind::ExternalWait, nullptr, deadline_ns);
    self->signals_awaited = 0;
    self->awaits_signal = false;
    if (reason == WakeReason::Cancelled) test_cancellation();
    if (reason == WakeReason::Interrupted) {
      deliver_pending_signals();
      return -EINTR;
    }
  }
}

long suspend_until_signal(std::uint64_t mask) {
  Thread* self = current();
  announce(EventKind::ExternalWait, nullptr);
  test_cancellation();
  const std::uint64_t before = self->signal_mask;
  replace_mask(mask);
  WakeReason reason = WakeReason::Interrupted;
  if (deliverable_signals() == 0) {
    self->awaits_signal = true;
    do {
      reason = block({.kind = EventKind::ExternalWait, .key = nullptr, .interruptible = true, .cancellable = true});
    } while (reason == WakeReason::Woken);
    self->awaits_signal = false;
  }
  deliver_pending_signals();
  self->signal_mask = before;
  if (reason == WakeReason::Cancelled) test_cancellation();
  deliver_pending_signals();
  return -EINTR;
}

bool add_to_pending_overrun(const siginfo_t& info, int count) {
  for (QueuedSignal* queued = state.queue; queued != nullptr; queued = queued->next) {
    if (queued->info.si_code != SI_TIMER || queued->info.si_timerid != info.si_timerid) continue;
    queued->info.si_overrun += count;
    return true;
  }
  return false;
}

Thread* thread_of_tid(pid_t tid) {
  for (Thread* thread : rt.scheduler.live_threads)
    if (virtual_thread(thread) == tid || thread->kernel_tid == tid) return thread;
  return nullptr;
}

void offer_pending_to_descriptors() { remove_queued_if(offer_to_descriptors); }

void discard_signal(int signal) {
  remove_queued_if([signal](const siginfo_t& info) { return info.si_signo == signal; });
}

void attend_to_signals() {
  accept_outside_signals();
  fire_signal_timers(clock_now());
  deliver_pending_signals();
}

bool wait_for_signal_from_outside() {
  const std::uint64_t nothing = 0;
  const bool awaited =
      signal_descriptors_exist() || any_thread([](const Thread* thread) { return thread->awaits_signal; });
  while (awaited && has_children()) {
    set_kernel_mask(~signal_bit(SIGSYS));
    timespec interval{0, limits::kSilentChildNs};  // ppoll writes the rest to it
    if (!signals_arrived()) raw_syscall(SYS_ppoll, nullptr, 0, &interval, &nothing, sizeof nothing);
    set_kernel_mask(nothing);
    if (!signals_arrived()) continue;
    accept_outside_signals();
    if (outside_may_have_changed()) look_outside();
    if (a_thread_can_run()) return true;
  }
  return false;
}

TemporarySignalMask::TemporarySignalMask(const sigset_t* mask) {
  if (mask == nullptr) return;
  changed_ = true;
  saved_ = current()->signal_mask;
  replace_mask(to_word(*mask));
  interrupted_ = deliverable_signals() != 0;
  deliver_pending_signals();
}

TemporarySignalMask::~TemporarySignalMask() {
  if (!changed_) return;
  deliver_pending_signals();
  current()->signal_mask = saved_;
  deliver_pending_signals();
}

}  // namespace heddle::runtime
