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
using schedule::Pending;
using schedule::Question;
using schedule::Situation;

constexpr ChoiceState& state = rt.choice;

// A sleep orders nothing, so a search may resume a sleeping thread at any time. The simple strategies, whose schedules
// people read, let virtual time pass instead.
bool resumes_sleepers_early(StrategyKind kind) {
  return kind == StrategyKind::Random || kind == StrategyKind::Pct || kind == StrategyKind::Pos ||
         kind == StrategyKind::Surw || kind == StrategyKind::Systematic || kind == StrategyKind::Guided ||
         kind == StrategyKind::ReplayBySite || kind == StrategyKind::Turns;
}

bool needs_access_objects(StrategyKind kind) {
  return kind == StrategyKind::Pos || kind == StrategyKind::Surw || kind == StrategyKind::Systematic;
}

// True for a blocked thread that the strategy may resume: a sleeping thread, or, with spurious wake-ups, a waiting one.
bool may_resume_early(const Thread* thread) {
  return thread->state == ThreadState::Blocked && ((state.offer_sleepers && thread->wait.is_sleep) ||
                                                   (state.offer_waiters && thread->wait.kind == EventKind::Wait));
}

Pending offer_of(const Thread* thread) {
  return {thread->id, thread->pending_kind, thread->pending_site, thread->pending_number};
}

void fire(Thread* thread) {
  advance_clock_to(thread->wait.deadline_ns);
  interrupt(thread, WakeReason::TimedOut);
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

// Fills `pending`; afterwards it is not empty.
[[gnu::always_inline]] inline void collect_pending(bool current_runnable, bool must_yield) {
  fire_passed_timers();
  if (outside_may_have_changed()) look_outside();
  for (;;) {
    state.pending.reserve(rt.scheduler.live_threads.size());
    std::size_t count = 0;
    bool any_runnable = false;
    const Thread* const excluded = must_yield ? hot.current : nullptr;
    for (const Thread* thread : rt.scheduler.live_threads) {
      if (thread == excluded) continue;
      if (thread->state == ThreadState::Runnable)
        any_runnable = true;
      else if (!may_resume_early(thread))
        continue;
      state.pending[count++] = offer_of(thread);
    }
    state.pending.set_size(count);
    if (current_runnable && !must_yield) return;
    if (!state.pending.empty()) {
      // Only sleeping threads remain: advance the clock to the earliest deadline.
      if (any_runnable || (must_yield && current_runnable)) return;
      state.pending.clear();
      wait_until_runnable();
      continue;
    }
    if (must_yield && current_runnable) {
      state.pending.push_back(offer_of(hot.current));
      return;
    }
    wait_until_runnable();
  }
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

void plan_fairness() {
  state.fair_deadline = state.turn_began + state.fair_points;
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

Situation situation_of(Question question, bool current_runnable, bool must_yield) {
  const format::SessionProgress& progress = *hot.progress;
  return {question,      hot.current->id, current_runnable && !(must_yield && state.pending.size() > 1),
          must_yield,    progress.steps,  static_cast<std::uint32_t>(progress.event_hash),
          progress.state};
}

std::span<const Pending> pending_threads() { return {state.pending.begin(), state.pending.size()}; }

// Inlined, because saving registers for a call would take a tenth of the time of a switch.
[[gnu::always_inline]] inline Thread* choose_next(bool current_runnable, bool must_yield) {
  collect_pending(current_runnable, must_yield);
  if (state.plan != Plan::None) [[unlikely]]
    while (wait_for_planned_thread(situation_of(Question::Run, current_runnable, must_yield)))
      collect_pending(current_runnable, must_yield);
  const Situation situation = situation_of(Question::Run, current_runnable, must_yield);
  const schedule::Decision decision = state.made.strategy->decide(situation, pending_threads());
  if (!decision.thread) report_divergence();
  Thread* thread = thread_by_id(*decision.thread);
  // Being rescheduled immediately does not count as giving the others a turn.
  if (thread != hot.current || must_yield) state.turn_began = hot.progress->steps;
  plan_next_choice(decision.points_until_choice);
  if (thread->state == ThreadState::Blocked) {
    if (thread->wait.is_sleep)
      fire(thread);
    else
      interrupt(thread, WakeReason::Woken);  // spurious
    fire_passed_timers();
  }
  return thread;
}

// The current thread could continue. `must_yield`: another thread runs if one can.
[[gnu::always_inline]] inline void choose_and_switch(bool must_yield) {
  Thread* next = choose_next(true, must_yield);
  if (next == hot.current) return;
  end_run(next, true);
  give_turn(next);
}

// Fairness, independent of the strategy's own plan.
[[gnu::noinline, gnu::cold]] void yield_for_fairness() { choose_and_switch(true); }

}  // namespace

void initialise_choices() {
  const format::SessionConfig& config = session()->config;
  state.made = make_strategy();
  const bool exact_replay = config.strategy == StrategyKind::Replay;
  state.plan = exact_replay ? Plan::Replay : config.strategy == StrategyKind::Turns ? Plan::Turns : Plan::None;
  state.abandoned_turn = 0;
  state.offer_sleepers = exact_replay || resumes_sleepers_early(config.strategy);
  state.offer_waiters = (config.flags & format::kSpuriousWakeups) != 0;
  hot.number_accesses = needs_access_objects(config.strategy);
  state.every_step_due = (config.flags & format::kAnnotate) != 0;
  state.steps_max = config.steps_max != 0 ? config.steps_max + state.steps_of_earlier_bodies : kNoStep;
  hot.report_switches = (config.flags & (format::kAnnotate | format::kDebugger)) != 0;
  state.fair_points = exact_replay              ? limits::kNeverFairPoints
                      : config.fair_points != 0 ? config.fair_points
                                                : limits::kFairPoints;
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
  if (step >= state.fair_deadline) [[unlikely]]
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

void add_timer(Thread* thread) { state.timers.push_back(thread); }

void remove_timer(Thread* thread) {
  state.timers.erase_first([thread](const Thread* other) { return other == thread; });
}

}  // namespace heddle::runtime
