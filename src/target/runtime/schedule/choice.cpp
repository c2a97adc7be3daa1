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

// Sleeping orders nothing, so a search has sleepers go on at any time; the orders that people read let time pass.
bool lets_sleepers_go(StrategyKind kind) {
  return kind == StrategyKind::Random || kind == StrategyKind::Pct || kind == StrategyKind::Pos ||
         kind == StrategyKind::Surw || kind == StrategyKind::Systematic || kind == StrategyKind::Guided ||
         kind == StrategyKind::ReplayBySite || kind == StrategyKind::Turns;
}

bool looks_at_objects(StrategyKind kind) {
  return kind == StrategyKind::Pos || kind == StrategyKind::Surw || kind == StrategyKind::Systematic;
}

// A sleeper may be let go at any time (a sleep orders nothing); so may a waiter if spurious wake-ups are asked for.
bool may_be_let_go(const Thread* thread) {
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

// When the next timed wait, sleep or alarm is due; kNoDeadline: none is.
std::uint64_t next_deadline() {
  std::uint64_t earliest = next_signal_timer();
  for (Thread* thread : state.timers)
    if (thread->state == ThreadState::Blocked && thread->wait.deadline_ns < earliest)
      earliest = thread->wait.deadline_ns;
  return earliest;
}

// No thread is runnable: waits for the outside or advances virtual time. Does not return when neither is possible.
[[gnu::noinline, gnu::cold]] void wait_for_somebody() {
  if (outside_awaited() && look_outside()) return;
  const std::uint64_t deadline = next_deadline();
  if (outside_awaited()) {
    const std::uint64_t now = clock_now();
    const std::uint64_t patience = deadline == kNoDeadline ? kNoDeadline : deadline > now ? deadline - now : 0;
    if (wait_for_outside(patience)) return;
  }
  if (deadline == kNoDeadline) {
    if (wait_for_signal_from_outside()) return;
    fail_nobody_can_run();
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
    bool somebody_awake = false;
    const Thread* const left_out = must_yield ? hot.current : nullptr;
    for (const Thread* thread : rt.scheduler.live_threads) {
      if (thread == left_out) continue;
      if (thread->state == ThreadState::Runnable)
        somebody_awake = true;
      else if (!may_be_let_go(thread))
        continue;
      state.pending[count++] = offer_of(thread);
    }
    state.pending.set_size(count);
    if (current_runnable && !must_yield) return;
    if (!state.pending.empty()) {
      // Only sleeping threads remain: advance the clock to the earliest deadline.
      if (somebody_awake || (must_yield && current_runnable)) return;
      state.pending.clear();
      wait_for_somebody();
      continue;
    }
    if (must_yield && current_runnable) {
      state.pending.push_back(offer_of(hot.current));
      return;
    }
    wait_for_somebody();
  }
}

// The next step at which a point is more than a comparison.
void set_next_choice() {
  std::uint64_t next = state.strategy_deadline < state.fair_deadline ? state.strategy_deadline : state.fair_deadline;
  if (state.due_step < next) next = state.due_step;
  set_choice_step(next);
}

[[gnu::noinline, gnu::cold]] void do_what_is_due(std::uint64_t step) {
  if (signals_need_attention()) attend_to_signals();
  if (state.ask_at_every_point) count_occurrence(hot.current);
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

// What came from outside in the recorded run may take longer this time: a thread that should go on now and still waits
// for the outside is waited for.
bool wait_for_recorded_thread() {
  const Thread* next = thread_by_id(next_recorded_thread());
  return next != nullptr && next->state == ThreadState::Blocked && next->wait.kind == EventKind::ExternalWait &&
         wait_for_outside(kNoDeadline);
}

// The same for a list of turns. What it waits for may never come in this order: the patience is that of a moment, once
// for each turn.
bool wait_for_turn(const Situation& situation) {
  if (!outside_awaited()) return false;
  const schedule::TurnsStrategy::Planned planned = next_planned_thread(situation);
  const Thread* next = thread_by_id(planned.thread);
  if (next == nullptr || next->state != ThreadState::Blocked || next->wait.kind != EventKind::ExternalWait ||
      planned.turn + 1 == state.turn_given_up)
    return false;
  if (wait_for_outside(limits::kOutsideMomentNs)) return true;
  state.turn_given_up = planned.turn + 1;
  return false;
}

[[gnu::noinline, gnu::cold]] bool wait_for_planned_thread(const Situation& situation) {
  return state.plan == Plan::Replay ? wait_for_recorded_thread() : wait_for_turn(situation);
}

Situation situation_of(bool current_runnable, bool must_yield) {
  return {Question::Run,      hot.current->id,     current_runnable && !(must_yield && state.pending.size() > 1),
          must_yield,         hot.progress->steps, static_cast<std::uint32_t>(hot.progress->event_hash),
          hot.progress->state};
}

// Inlined: a tenth of a switch would be the registers that it saves.
[[gnu::always_inline]] inline Thread* ask(bool current_runnable, bool must_yield) {
  collect_pending(current_runnable, must_yield);
  if (state.plan != Plan::None) [[unlikely]]
    while (wait_for_planned_thread(situation_of(current_runnable, must_yield)))
      collect_pending(current_runnable, must_yield);
  const Situation situation = situation_of(current_runnable, must_yield);
  const schedule::Decision decision =
      state.made.strategy->decide(situation, std::span<const Pending>(state.pending.begin(), state.pending.size()));
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

// The current thread could go on, or must let others go first if they can.
[[gnu::always_inline]] inline void ask_and_switch(bool must_yield) {
  Thread* next = ask(true, must_yield);
  if (next == hot.current) return;
  end_run(next, true);
  give_turn(next);
}

// Apart from the choice that a strategy has planned, which then need not care.
[[gnu::noinline, gnu::cold]] void give_others_a_turn() { ask_and_switch(true); }

}  // namespace

void initialise_choices() {
  const format::SessionConfig& config = session()->config;
  state.made = make_strategy();
  const bool exact_replay = config.strategy == StrategyKind::Replay;
  state.plan = exact_replay ? Plan::Replay : config.strategy == StrategyKind::Turns ? Plan::Turns : Plan::None;
  state.turn_given_up = 0;
  state.offer_sleepers = exact_replay || lets_sleepers_go(config.strategy);
  state.offer_waiters = (config.flags & format::kSpuriousWakeups) != 0;
  hot.number_accesses = looks_at_objects(config.strategy);
  state.ask_at_every_point = (config.flags & format::kAnnotate) != 0;
  state.steps_max = config.steps_max != 0 ? config.steps_max + state.steps_of_earlier_bodies : kNoStep;
  hot.tells_switches = (config.flags & (format::kAnnotate | format::kDebugger)) != 0;
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
  if (state.ask_at_every_point) state.due_step = 0;
}

void ask_at_this_point() { state.strategy_deadline = hot.progress->steps; }

[[gnu::always_inline]] void choose_at_point() {
  const std::uint64_t step = hot.progress->steps;
  if (step >= state.due_step || signals_arrived()) [[unlikely]]
    do_what_is_due(step);
  if (step >= state.fair_deadline) [[unlikely]]
    return give_others_a_turn();
  if (step < state.strategy_deadline) return set_next_choice();
  ask_and_switch(false);
}

[[gnu::always_inline]] void choose_at_yield() {
  if (state.plan == Plan::Replay) {
    // A yield that kept the turn is not in the clip; one that gave it up is the end of a run like any other.
    if (hot.progress->steps >= hot.next_choice) choose_at_point();
    return;
  }
  if (state.ask_at_every_point) count_occurrence(hot.current);
  ask_and_switch(true);
}

void choose_when_blocked() {
  Thread* next = ask(false, false);
  end_run(next, false);
  give_turn(next);
}

Thread* choose_after_exit() {
  Thread* next = ask(false, false);
  end_run(next, false);
  return next;
}

Thread* choose_waiter(const void* key, std::uint32_t count) {
  state.pending.clear();
  for (Thread* t = first_waiter(key); t != nullptr; t = next_waiter(t))
    if (t->state == ThreadState::Blocked) state.pending.push_back(offer_of(t));
  if (state.pending.empty()) return nullptr;
  if (state.pending.size() <= count) return thread_by_id(state.pending[0].thread);
  const Situation situation{Question::Wake,
                            hot.current->id,
                            true,
                            false,
                            hot.progress->steps,
                            static_cast<std::uint32_t>(hot.progress->event_hash),
                            hot.progress->state};
  const auto chosen =
      state.made.strategy->choose(situation, std::span<const Pending>(state.pending.begin(), state.pending.size()));
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
