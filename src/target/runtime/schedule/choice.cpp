#include "runtime/schedule/choice.h"

#include <span>

#include "runtime/debug/annotate.h"
#include "runtime/io/external.h"
#include "runtime/control/failure.h"
#include "runtime/copies/fork_server.h"
#include "runtime/record/observe.h"
#include "runtime/schedule/scheduler.h"
#include "runtime/record/session.h"
#include "runtime/signals/signals.h"
#include "runtime/schedule/strategy_setup.h"
#include "runtime/schedule/wait_queue.h"

namespace heddle::runtime {
namespace {

using format::StrategyKind;
using schedule::Pending;
using schedule::Question;
using schedule::Situation;

// A loop that spins without blocking gives the turn up after so many points; long enough not to disturb a strategy. A
// prime, so that it does not fall in step with a loop and stop it at the same place, its lock in hand, every time.
constexpr std::uint64_t kFairPointsDefault = 10'007;
constexpr std::uint64_t kNeverFair = ~std::uint64_t{0} / 2;  // replaying exactly, fairness is in the clip

schedule::Strategy* strategy = nullptr;
GrowingArray<Pending> pending;
GrowingArray<Thread*> timers;
std::uint64_t run_begin_step = 0;
std::uint64_t strategy_deadline = 0;  // step at which the strategy wants to be asked
std::uint64_t fair_deadline = 0;
std::uint64_t turn_began = 0;         // step at which the current thread got the turn
std::uint64_t fair_points = 0;
bool offer_sleepers = false;
bool offer_waiters = false;  // spurious wake-ups
bool ask_at_every_point = false;
enum class Plan : std::uint8_t { None, Replay, Turns };
Plan plan = Plan::None;  // that may have to wait for a thread which the outside holds up
std::size_t turn_given_up = 0;  // that nobody waits for any more, counted from 1
std::uint64_t steps_max = ~std::uint64_t{0};
std::uint64_t due_step = 0;  // see find_due_step()

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
  return thread->state == ThreadState::Blocked &&
         ((offer_sleepers && thread->wait.is_sleep) || (offer_waiters && thread->wait.kind == EventKind::Wait));
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
  for (std::size_t i = 0; i < timers.size(); ++i)
    if (timers[i]->wait.deadline_ns <= now) interrupt(timers[i], WakeReason::TimedOut);
}

inline void fire_passed_timers() {
  if (!timers.empty() || signal_state.timer_step != ~std::uint64_t{0}) [[unlikely]] fire_timers();
}

// When the next timed wait, sleep or alarm is due; kNoDeadline: none is.
std::uint64_t next_deadline() {
  std::uint64_t earliest = next_signal_timer();
  for (Thread* thread : timers)
    if (thread->state == ThreadState::Blocked && thread->wait.deadline_ns < earliest) earliest = thread->wait.deadline_ns;
  return earliest;
}

// Nobody can run: lets the outside or time move on. Does not return when neither can.
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
    pending.reserve(live_threads.size());
    std::size_t count = 0;
    bool somebody_awake = false;
    const Thread* const left_out = must_yield ? hot.current : nullptr;
    for (const Thread* thread : live_threads) {
      if (thread == left_out) continue;
      if (thread->state == ThreadState::Runnable) somebody_awake = true;
      else if (!may_be_let_go(thread)) continue;
      pending[count++] = offer_of(thread);
    }
    pending.set_size(count);
    if (current_runnable && !must_yield) return;
    if (!pending.empty()) {
      // Sleepers alone: time is all that can pass, and the earliest deadline comes first.
      if (somebody_awake || (must_yield && current_runnable)) return;
      pending.clear();
      wait_for_somebody();
      continue;
    }
    if (must_yield && current_runnable) {
      pending.push_back(offer_of(hot.current));
      return;
    }
    wait_for_somebody();
  }
}

// The step at which somebody must look: the strategy, fairness, or what is due.
void set_next_choice() {
  std::uint64_t next = strategy_deadline < fair_deadline ? strategy_deadline : fair_deadline;
  if (due_step < next) next = due_step;
  set_choice_step(next);
}

[[gnu::noinline, gnu::cold]] void do_what_is_due(std::uint64_t step) {
  if (signals_need_attention()) attend_to_signals();
  if (ask_at_every_point) count_occurrence(hot.current);
  if (step >= steps_max) fail_livelock();
  if (step >= checkpoint_step) leave_checkpoint();
  find_due_step();
}

void plan_fairness() {
  fair_deadline = turn_began + fair_points;
  set_next_choice();
}

void plan_next_choice(std::uint64_t points) {
  const std::uint64_t step = hot.progress->steps;
  strategy_deadline = step + points;
  if (strategy_deadline < step) strategy_deadline = ~std::uint64_t{0};
  plan_fairness();
}

// What came from outside in the recorded run may take longer this time: a thread that should go on now and still waits
// for the outside is waited for.
bool wait_for_recorded_thread() {
  const Thread* next = thread_by_id(next_recorded_thread());
  return next != nullptr && next->state == ThreadState::Blocked && next->wait.kind == EventKind::ExternalWait &&
         wait_for_outside(kNoDeadline);
}

// The same for a list of turns. What it waits for may never come in this order: the patience is that of a moment, once for
// each turn.
bool wait_for_turn(const Situation& situation) {
  constexpr std::uint64_t kPatienceNs = 200'000'000;
  if (!outside_awaited()) return false;
  const schedule::TurnsStrategy::Planned planned = next_planned_thread(situation);
  const Thread* next = thread_by_id(planned.thread);
  if (next == nullptr || next->state != ThreadState::Blocked || next->wait.kind != EventKind::ExternalWait ||
      planned.turn + 1 == turn_given_up)
    return false;
  if (wait_for_outside(kPatienceNs)) return true;
  turn_given_up = planned.turn + 1;
  return false;
}

[[gnu::noinline, gnu::cold]] bool wait_for_planned_thread(const Situation& situation) {
  return plan == Plan::Replay ? wait_for_recorded_thread() : wait_for_turn(situation);
}

Situation situation_of(bool current_runnable, bool must_yield) {
  return {Question::Run, hot.current->id,     current_runnable && !(must_yield && pending.size() > 1),
          must_yield,    hot.progress->steps, static_cast<std::uint32_t>(hot.progress->event_hash),
          hot.progress->state};
}

// Inlined: a tenth of a switch would be the registers that it saves.
[[gnu::always_inline]] inline Thread* ask(bool current_runnable, bool must_yield) {
  collect_pending(current_runnable, must_yield);
  if (plan != Plan::None) [[unlikely]]
    while (wait_for_planned_thread(situation_of(current_runnable, must_yield))) collect_pending(current_runnable, must_yield);
  const Situation situation = situation_of(current_runnable, must_yield);
  const schedule::Decision decision =
      strategy->decide(situation, std::span<const Pending>(pending.begin(), pending.size()));
  if (!decision.thread) report_divergence();
  Thread* thread = thread_by_id(*decision.thread);
  // To be asked, and to yield and get the turn back, is no relief for those who wait.
  if (thread != hot.current || must_yield) turn_began = hot.progress->steps;
  plan_next_choice(decision.points_until_choice);
  if (thread->state == ThreadState::Blocked) {
    if (thread->wait.is_sleep) fire(thread);
    else interrupt(thread, WakeReason::Woken);  // spurious
    fire_passed_timers();
  }
  return thread;
}

// Apart from the choice that a strategy has planned, which then need not care.
[[gnu::noinline, gnu::cold]] void give_others_a_turn() {
  Thread* next = ask(true, true);
  if (next == hot.current) return;
  end_run(next, true);
  give_turn(next);
}

}  // namespace

void initialise_choices() {
  const format::SessionConfig& config = session()->config;
  strategy = set_up_strategy();
  const bool exact_replay = config.strategy == StrategyKind::Replay;
  plan = exact_replay ? Plan::Replay : config.strategy == StrategyKind::Turns ? Plan::Turns : Plan::None;
  turn_given_up = 0;
  offer_sleepers = exact_replay || lets_sleepers_go(config.strategy);
  offer_waiters = (config.flags & format::kSpuriousWakeups) != 0;
  hot.number_accesses = looks_at_objects(config.strategy);
  ask_at_every_point = (config.flags & format::kAnnotate) != 0;
  steps_max = config.steps_max != 0 ? config.steps_max : ~std::uint64_t{0};
  hot.tells_switches = (config.flags & (format::kAnnotate | format::kDebugger)) != 0;
  fair_points = exact_replay ? kNeverFair : config.fair_points != 0 ? config.fair_points : kFairPointsDefault;
  turn_began = hot.progress->steps;
  if (config.freeze_at != 0 && config.freeze_descent == 0) checkpoint_step = config.freeze_at;
  find_due_step();
  begin_run();
  plan_next_choice(strategy->points_until_choice());
}

void find_due_step() {
  due_step = steps_max < signal_state.timer_step ? steps_max : signal_state.timer_step;
  if (checkpoint_step < due_step) due_step = checkpoint_step;
  if (ask_at_every_point) due_step = 0;
}

void restart_choices() {
  const StrategyKind kind = session()->config.strategy;
  if (kind == StrategyKind::Replay || kind == StrategyKind::ReplayBySite) return;
  const std::uint64_t run_began = run_begin_step, turn = turn_began;
  initialise_choices();
  run_begin_step = run_began;
  turn_began = turn;
  plan_fairness();
}

void ask_at_this_point() { strategy_deadline = hot.progress->steps; }

[[gnu::always_inline]] void choose_at_point() {
  const std::uint64_t step = hot.progress->steps;
  if (step >= due_step || signals_arrived()) [[unlikely]] do_what_is_due(step);
  if (step >= fair_deadline) [[unlikely]] return give_others_a_turn();
  if (step < strategy_deadline) return set_next_choice();
  Thread* next = ask(true, false);
  if (next == hot.current) return;
  end_run(next, true);
  give_turn(next);
}

[[gnu::always_inline]] void choose_at_yield() {
  if (plan == Plan::Replay) {
    // A yield that kept the turn is not in the clip; one that gave it up is the end of a run like any other.
    if (hot.progress->steps >= hot.next_choice) choose_at_point();
    return;
  }
  if (ask_at_every_point) count_occurrence(hot.current);
  Thread* next = ask(true, true);
  if (next == hot.current) return;
  end_run(next, true);
  give_turn(next);
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
  pending.clear();
  for (Thread* t = first_waiter(key); t != nullptr; t = next_waiter(t))
    if (t->state == ThreadState::Blocked) pending.push_back(offer_of(t));
  if (pending.empty()) return nullptr;
  if (pending.size() <= count) return thread_by_id(pending[0].thread);
  const Situation situation{Question::Wake, hot.current->id, true, false, hot.progress->steps,
                            static_cast<std::uint32_t>(hot.progress->event_hash), hot.progress->state};
  const auto chosen = strategy->choose(situation, std::span<const Pending>(pending.begin(), pending.size()));
  if (!chosen) report_divergence();
  ring_write(format::ring_head(EventKind::Choice, 0, 0, 0), number(*chosen));
  if (hot.observe) observe_thread(EventKind::Choice, thread_by_id(*chosen));
  return thread_by_id(*chosen);
}

void add_timer(Thread* thread) { timers.push_back(thread); }

void remove_timer(Thread* thread) {
  for (std::size_t i = 0; i < timers.size(); ++i)
    if (timers[i] == thread) {
      timers.erase(i);
      return;
    }
}

std::uint64_t run_began_at() { return run_begin_step; }
void begin_run() { run_begin_step = hot.progress->steps; }

}  // namespace heddle::runtime
