#include "runtime/schedule/choice.h"

#include <span>

#include "runtime/control/failure.h"
#include "runtime/copies/fork_server.h"
#include "runtime/debug/annotate.h"
#include "runtime/io/external.h"
#include "runtime/record/observe.h"
#include "runtime/record/session.h"
#include "runtime/runtime.h"
#include "runtime/schedule/limits.h"
#include "runtime/schedule/scheduler.h"
#include "runtime/schedule/strategy_setup.h"
#include "runtime/schedule/wait_queue.h"
#include "runtime/signals/signals.h"

namespace heddle::runtime {
namespace {

using format::StrategyKind;
using schedule::fairness_word;
using schedule::may_run;
using schedule::may_time_out_early;
using schedule::Offer;
using schedule::Pending;
using schedule::Question;
using schedule::Situation;

constexpr ChoiceState& state = rt.choice;

// The longest time-out that the strategy may let fire early. A strategy that searches has the session's limit. One that
// follows a given schedule fires what the schedule says. The simple strategies, whose schedules people read, let
// virtual time pass instead.
std::uint64_t longest_early_timeout(const format::SessionConfig& config) {
  switch (config.strategy) {
    case StrategyKind::Random:
    case StrategyKind::Pct:
    case StrategyKind::Pos:
    case StrategyKind::Surw:
    case StrategyKind::Systematic:
      return config.early_timeout_ns;
    case StrategyKind::Replay:
    case StrategyKind::ReplayBySite:
    case StrategyKind::Turns:
    case StrategyKind::Guided:
      return kNoDeadline - 1;
    default:
      return 0;
  }
}

bool follows_schedule(StrategyKind kind) {
  return kind == StrategyKind::ReplayBySite || kind == StrategyKind::Turns || kind == StrategyKind::Guided;
}

bool needs_access_objects(StrategyKind kind) {
  return kind == StrategyKind::Pos || kind == StrategyKind::Surw || kind == StrategyKind::Systematic;
}

// With spurious wake-ups, choosing a thread that waits for a condition variable wakes it; its time-out does not fire.
bool wakes_spuriously(const Thread* thread) { return state.offer_waiters && thread->wait.kind == EventKind::Wait; }

// True for a blocked thread whose wait the strategy may end.
bool may_end_early(const Thread* thread, std::uint64_t oldest) {
  const bool offered = wakes_spuriously(thread) || thread->timeout_ns <= state.early_timeout_ns;
  return offered && may_time_out_early(thread->turns, oldest);
}

Pending offer_of(const Thread* thread, Offer offer = Offer::Ready) {
  return {thread->id, thread->pending_kind, thread->pending_site, thread->pending_number, offer};
}

[[gnu::noinline, gnu::cold]] void fire_timers() {
  const std::uint64_t now = clock_now();
  fire_signal_timers(now);
  for (std::size_t i = 0; i < state.timers.size(); ++i)
    if (state.timers[i]->wait.deadline_ns <= now) interrupt(state.timers[i], WakeReason::TimedOut);
}

inline void fire_passed_timers() {
  if (!state.timers.empty() || rt.signals.timer_step != ~std::uint64_t{0}) [[unlikely]]
    fire_timers();
}

// The earliest deadline of a timed wait, a sleep or an alarm; kNoDeadline if there is none.
std::uint64_t next_deadline() {
  std::uint64_t earliest = next_signal_timer();
  for (Thread* thread : state.timers)
    if (thread->state == ThreadState::Blocked && thread->wait.deadline_ns < earliest)
      earliest = thread->wait.deadline_ns;
  return earliest;
}

// No thread is runnable: waits for an external event or advances virtual time. Ends the run if neither is possible.
[[gnu::noinline, gnu::cold]] void wait_until_runnable() {
  if (outside_awaited() && look_outside()) return;
  const std::uint64_t deadline = next_deadline();
  if (outside_awaited()) {
    const std::uint64_t now = clock_now();
    const std::uint64_t patience = deadline == kNoDeadline ? kNoDeadline : deadline > now ? deadline - now : 0;
    if (wait_for_outside(patience)) return;
  }
  if (deadline == kNoDeadline) {
    if (wait_for_signal_from_outside()) return;
    fail_all_blocked();
  }
  advance_clock_to(deadline);
  fire_passed_timers();
}

// The oldest turn of a runnable thread; ~0: no thread is runnable.
std::uint64_t find_oldest_turn() {
  std::uint64_t oldest = ~std::uint64_t{0};
  for (const Thread* thread : rt.scheduler.live_threads)
    if (thread->state == ThreadState::Runnable && thread->turns.ran < oldest) oldest = thread->turns.ran;
  return oldest;
}

// The slow path of collect_pending(): a thread has yielded, is in a timed wait, or may wake spuriously. Leaves
// `pending` empty if no thread is runnable.
[[gnu::noinline]] void offer_fairly() {
  state.pending.clear();
  const std::uint64_t oldest = find_oldest_turn();
  if (oldest == ~std::uint64_t{0}) return;
  for (const Thread* thread : rt.scheduler.live_threads) {
    Offer offer = Offer::Ready;
    if (thread->state == ThreadState::Blocked) {
      if (!may_end_early(thread, oldest)) continue;
      offer = Offer::Early;
    } else if (!may_run(thread->turns, oldest)) {
      if (thread == hot.current) state.current_ready = false;
      if (!state.offer_deferred) continue;
      offer = Offer::Deferred;
    }
    state.all_ready &= offer == Offer::Ready;
    state.pending.push_back(offer_of(thread, offer));
  }
}

// The share of the turns of all threads in the state hash of a search.
std::uint64_t sum_fairness() {
  std::uint64_t sum = 0;
  for (const Thread* thread : rt.scheduler.live_threads) {
    if (thread->turns.yielded == 0 && thread->turns.timed_out == 0) continue;
    for (const Thread* other : rt.scheduler.live_threads)
      if (other != thread) sum += fairness_word(number(thread->id), thread->turns, number(other->id), other->turns);
  }
  return sum;
}

// Fills `pending`; afterwards at least one thread is Ready.
[[gnu::always_inline]] inline void collect_pending(bool current_runnable) {
  fire_passed_timers();
  if (outside_may_have_changed()) look_outside();
  for (;;) {
    state.all_ready = true;
    state.current_ready = current_runnable;
    state.pending.reserve(rt.scheduler.live_threads.size());
    if (state.yielded_threads != 0 || state.offer_waiters || !state.timers.empty()) {
      offer_fairly();
    } else {
      std::size_t count = 0;
      for (const Thread* thread : rt.scheduler.live_threads)
        if (thread->state == ThreadState::Runnable) state.pending[count++] = offer_of(thread);
      state.pending.set_size(count);
    }
    if (!state.pending.empty()) return;
    wait_until_runnable();
  }
}

void count_timeout(format::TimeoutCount& count, std::uint64_t ns) {
  ++count.count;
  if (ns > count.longest_ns) count.longest_ns = ns;
}

inline void begin_turn() {
  state.turn_began = hot.progress->steps;
  if (state.fair_points != limits::kNeverFairPoints) state.spin.begin_turn(state.turn_began);
}

void note_yield(Thread* thread) {
  if (thread->turns.yielded == 0) ++state.yielded_threads;
  thread->turns.yielded = thread->turns.ran;
}

void forget_yield(Thread* thread) {
  thread->turns.yielded = 0;
  --state.yielded_threads;
}

[[gnu::noinline, gnu::cold]] void end_wait_early(Thread* thread) {
  thread->turns.timed_out = state.turns + (thread != hot.current);  // the turn that it is about to have
  if (wakes_spuriously(thread)) {
    interrupt(thread, WakeReason::Woken);
  } else {
    thread->early_timeout_ns = thread->timeout_ns;
    count_timeout(session()->result.early_timeouts, thread->timeout_ns);
    advance_clock_to(thread->wait.deadline_ns);
    interrupt(thread, WakeReason::TimedOut);
  }
  fire_passed_timers();
}

void set_next_choice() {
  std::uint64_t next = state.strategy_deadline < state.fair_deadline ? state.strategy_deadline : state.fair_deadline;
  if (state.due_step < next) next = state.due_step;
  set_choice_step(next);
}

[[gnu::noinline, gnu::cold]] void run_due_work(std::uint64_t step) {
  if (signals_need_attention()) attend_to_signals();
  if (state.every_step_due) count_occurrence(hot.current);
  if (step >= state.steps_max) fail_livelock();
  if (step >= rt.copies.checkpoint_step) leave_checkpoint();
  find_due_step();
}

// The step at which fairness next looks at the current thread.
void plan_fairness() {
  const std::uint64_t end = state.turn_began + state.fair_points;
  state.fair_deadline = end < state.spin.next_check ? end : state.spin.next_check;
  set_next_choice();
}

void plan_next_choice(std::uint64_t points) {
  const std::uint64_t step = hot.progress->steps;
  state.strategy_deadline = step + points;
  if (state.strategy_deadline < step) state.strategy_deadline = ~std::uint64_t{0};
  plan_fairness();
}

// Exact replay: waits while the thread that ran next in the recording is blocked in an external wait. The external
// event may arrive later than it did in the recording.
bool wait_for_recorded_thread() {
  const Thread* next = thread_by_id(next_recorded_thread());
  return next != nullptr && next->state == ThreadState::Blocked && next->wait.kind == EventKind::ExternalWait &&
         wait_for_outside(kNoDeadline);
}

// The same for a list of turns. In this order the event may never arrive, so the wait is bounded and happens once a
// turn.
bool wait_for_turn(const Situation& situation) {
  if (!outside_awaited()) return false;
  const schedule::TurnsStrategy::Planned planned = next_planned_thread(situation);
  const Thread* next = thread_by_id(planned.thread);
  if (next == nullptr || next->state != ThreadState::Blocked || next->wait.kind != EventKind::ExternalWait ||
      planned.turn + 1 == state.abandoned_turn)
    return false;
  if (wait_for_outside(limits::kOutsideMomentNs)) return true;
  state.abandoned_turn = planned.turn + 1;
  return false;
}

[[gnu::noinline, gnu::cold]] bool wait_for_planned_thread(const Situation& situation) {
  return state.plan == Plan::Replay ? wait_for_recorded_thread() : wait_for_turn(situation);
}

Situation situation_of(Question question, bool current_ready, bool must_yield) {
  const format::SessionProgress& progress = *hot.progress;
  return {question,
          hot.current->id,
          current_ready,
          must_yield,
          progress.steps,
          static_cast<std::uint32_t>(progress.event_hash),
          hot.observe ? progress.state + sum_fairness() : 0,
          state.all_ready};
}

std::span<const Pending> pending_threads() { return {state.pending.begin(), state.pending.size()}; }

// Inlined, because saving registers for a call would take a tenth of the time of a switch.
[[gnu::always_inline]] inline Thread* choose_next(bool current_runnable, bool must_yield) {
  if (must_yield) note_yield(hot.current);
  collect_pending(current_runnable);
  if (state.plan != Plan::None) [[unlikely]]
    while (wait_for_planned_thread(situation_of(Question::Run, state.current_ready, must_yield)))
      collect_pending(current_runnable);
  const Situation situation = situation_of(Question::Run, state.current_ready, must_yield);
  const schedule::Decision decision = state.made.strategy->decide(situation, pending_threads());
  if (!decision.thread) report_divergence();
  Thread* thread = thread_by_id(*decision.thread);
  // Being rescheduled immediately does not count as giving the others a turn.
  if (thread != hot.current || must_yield) begin_turn();
  plan_next_choice(decision.points_until_choice);
  if (thread->turns.yielded != 0) [[unlikely]]
    forget_yield(thread);
  if (must_yield && !state.holds_back && thread != hot.current) forget_yield(hot.current);
  if (thread->state == ThreadState::Blocked) [[unlikely]]
    end_wait_early(thread);
  return thread;
}

// The current thread could continue. `must_yield`: another thread runs if one can.
[[gnu::always_inline]] inline void choose_and_switch(bool must_yield) {
  Thread* next = choose_next(true, must_yield);
  if (next == hot.current) return;
  end_run(next, true);
  give_turn(next);
}

// Fairness, independent of the strategy's own plan: a thread that spins, or has kept the turn for fair_points, yields.
[[gnu::noinline, gnu::cold]] void yield_for_fairness() { choose_and_switch(true); }

// True: the current thread spins.
bool watch_for_spin(std::uint64_t step) {
  SpinWatch& spin = state.spin;
  if (!spin.watching) {
    spin.watching = true;
    spin.operation_count = 0;
    spin.repeats = 0;
  }
  switch (watch_point(spin, hot.current)) {
    case SpinFinding::Unknown:
      spin.next_check = step + 1;
      return false;
    case SpinFinding::Works:
      spin.watching = false;
      spin.distance *= 2;
      spin.next_check = step + spin.distance;
      return false;
    case SpinFinding::Spins:
      break;
  }
  return true;
}

// True: the current thread must yield now.
[[gnu::noinline, gnu::cold]] bool is_turn_over(std::uint64_t step) {
  if (step >= state.turn_began + state.fair_points || watch_for_spin(step)) return true;
  plan_fairness();
  return false;
}

}  // namespace

void initialise_choices() {
  const format::SessionConfig& config = session()->config;
  state.made = make_strategy();
  const bool exact_replay = config.strategy == StrategyKind::Replay;
  state.plan = exact_replay ? Plan::Replay : config.strategy == StrategyKind::Turns ? Plan::Turns : Plan::None;
  state.abandoned_turn = 0;
  state.early_timeout_ns = longest_early_timeout(config);
  state.offer_deferred = follows_schedule(config.strategy);
  state.holds_back = config.strategy == StrategyKind::Systematic;
  state.offer_waiters = (config.flags & format::kSpuriousWakeups) != 0;
  hot.number_accesses = needs_access_objects(config.strategy);
  state.every_step_due = (config.flags & format::kAnnotate) != 0;
  state.steps_max = config.steps_max != 0 ? config.steps_max + state.steps_of_earlier_bodies : kNoStep;
  hot.report_switches = (config.flags & (format::kAnnotate | format::kDebugger)) != 0;
  state.fair_points = exact_replay              ? limits::kNeverFairPoints
                      : config.fair_points != 0 ? config.fair_points
                                                : limits::kFairPoints;
  if (hot.current->turns.ran == 0) hot.current->turns.ran = ++state.turns;  // main has the first turn
  state.spin.next_check = kNoStep;
  begin_turn();
  find_due_step();
  plan_next_choice(state.made.strategy->points_until_choice());
}

void ChoiceState::reset() {
  const StrategyKind kind = session()->config.strategy;
  if (kind == StrategyKind::Replay || kind == StrategyKind::ReplayBySite) return find_due_step();
  initialise_choices();
}

void begin_body() {
  const std::uint64_t step = hot.progress->steps;
  if (!state.has_repeated) state.first_body_step = step;
  state.has_repeated = true;
  state.steps_of_earlier_bodies = step - state.first_body_step;
}

void find_due_step() {
  state.due_step = state.steps_max < rt.signals.timer_step ? state.steps_max : rt.signals.timer_step;
  if (rt.copies.checkpoint_step < state.due_step) state.due_step = rt.copies.checkpoint_step;
  if (state.every_step_due) state.due_step = 0;
}

void choose_at_this_point() { state.strategy_deadline = hot.progress->steps; }

[[gnu::always_inline]] void choose_at_point() {
  const std::uint64_t step = hot.progress->steps;
  if (step >= state.due_step || signals_arrived()) [[unlikely]]
    run_due_work(step);
  if (step >= state.fair_deadline && is_turn_over(step)) [[unlikely]]
    return yield_for_fairness();
  if (step < state.strategy_deadline) return set_next_choice();
  choose_and_switch(false);
}

[[gnu::always_inline]] void choose_at_yield() {
  if (state.plan == Plan::Replay) {
    // A yield that kept the turn is not in the clip; a yield that passed it on is the end of a run like any other.
    if (hot.progress->steps >= hot.next_choice) choose_at_point();
    return;
  }
  if (state.every_step_due) count_occurrence(hot.current);
  choose_and_switch(true);
}

void choose_when_blocked() {
  Thread* next = choose_next(false, false);
  end_run(next, false);
  give_turn(next);
}

Thread* choose_after_exit() {
  Thread* next = choose_next(false, false);
  end_run(next, false);
  return next;
}

Thread* choose_waiter(const void* key, std::uint32_t count) {
  state.pending.clear();
  state.all_ready = true;
  for (Thread* t = first_waiter(key); t != nullptr; t = next_waiter(t))
    if (t->state == ThreadState::Blocked) state.pending.push_back(offer_of(t));
  if (state.pending.empty()) return nullptr;
  if (state.pending.size() <= count) return thread_by_id(state.pending[0].thread);
  const auto chosen = state.made.strategy->choose(situation_of(Question::Wake, true, false), pending_threads());
  if (!chosen) report_divergence();
  ring_write(format::ring_head(EventKind::Choice, 0, 0, 0), number(*chosen));
  if (hot.observe) observe_thread(EventKind::Choice, thread_by_id(*chosen));
  return thread_by_id(*chosen);
}

void add_timer(Thread* thread) {
  const std::uint64_t now = clock_now();
  const std::uint64_t deadline = thread->wait.deadline_ns;
  thread->timeout_ns = deadline > now ? deadline - now : 0;
  if (thread->timeout_ns > state.early_timeout_ns) count_timeout(session()->result.late_timeouts, thread->timeout_ns);
  state.timers.push_back(thread);
}

void remove_timer(Thread* thread) {
  thread->wait.deadline_ns = kNoDeadline;
  thread->timeout_ns = kNoDeadline;
  state.timers.erase_first([thread](const Thread* other) { return other == thread; });
}

}  // namespace heddle::runtime
