#include "schedule/replay/turns_strategy.h"

#include <gtest/gtest.h>

#include <map>

#include "schedule/made_strategy_test.h"
#include "schedule/policy/random_strategy.h"

namespace heddle::schedule {
namespace {

using format::EventKind;
using Order = std::vector<std::pair<std::uint32_t, std::size_t>>;

constexpr bool kStopped = false, kForced = true;

format::ReplayRun turn(std::uint32_t thread, std::uint32_t points, bool forced) {
  return {SimulatedRun::descent(thread), points, 1, forced};
}

Execution follow(const Program& program, const std::vector<format::ReplayRun>& turns,
                 const std::vector<std::uint32_t>& choices = {}) {
  // Makes SimulatedRun::thread_of() find the threads before the strategy looks them up.
  RandomStrategy before{1, 1};
  SimulatedRun known{program, before};
  StrategyInputs inputs;
  inputs.runs = turns;
  inputs.choices = choices;
  Strategy& strategy = made_strategy(config_of(format::StrategyKind::Turns, 1), inputs);
  return SimulatedRun{program, strategy}.run();
}

// Converts the points of each run, as a clip has them, to points since the beginning of the thread.
std::vector<format::ReplayRun> turns_of(const Execution& recorded) {
  std::map<std::uint32_t, std::uint32_t> points, blocks;
  std::vector<format::ReplayRun> turns;
  for (const format::ReplayRun& run : recorded.runs) {
    if (run.points != 0) blocks[run.thread] = 0;
    blocks[run.thread] += run.forced;
    turns.push_back({run.thread, points[run.thread] += run.points, blocks[run.thread], run.forced});
  }
  return turns;
}

TEST(TurnsStrategy, the_turns_of_a_run_reproduce_it) {
  Random random{17};
  std::size_t deadlocks = 0, preemptions = 0, choices = 0;
  for (std::uint64_t seed = 0; seed < 500; ++seed) {
    const Program program = random_program(random, 2 + static_cast<std::uint32_t>(random.below(6)), 40);
    RandomStrategy recording{seed, 3};
    const Execution recorded = SimulatedRun{program, recording}.run();
    const Execution again = follow(program, turns_of(recorded), recorded.choices);
    ASSERT_EQ(again.order, recorded.order) << "seed " << seed;
    ASSERT_EQ(again.end, recorded.end);
    ASSERT_EQ(again.preemptions, recorded.preemptions);
    deadlocks += recorded.end == Execution::End::Deadlock;
    preemptions += recorded.preemptions;
    choices += recorded.choices.size();
  }
  EXPECT_GT(deadlocks, 10u);
  EXPECT_GT(preemptions, 500u);
  EXPECT_GT(choices, 10u);
}

// Compares planned() with the thread that the strategy then chooses.
class PlanChecker final : public StrategyOf<PlanChecker> {
 public:
  explicit PlanChecker(TurnsStrategy& turns) : turns_(turns) {}

  std::optional<ThreadId> choose(const Situation& situation, std::span<const Pending> pending) override {
    const TurnsStrategy::Planned planned = turns_.planned(situation);
    const std::optional<ThreadId> chosen = turns_.choose(situation, pending);
    if (situation.question == Question::Wake) return chosen;
    for (const Pending& one : pending) {
      if (one.thread != planned.thread) continue;
      EXPECT_EQ(number(*chosen), number(planned.thread));
      ++checked;
    }
    return chosen;
  }
  std::uint64_t points_until_choice() override { return turns_.points_until_choice(); }

  std::size_t checked = 0;

 private:
  TurnsStrategy& turns_;
};

TEST(TurnsStrategy, chooses_the_planned_thread_whenever_it_is_runnable) {
  Random random{23};
  std::size_t checked = 0;
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    const Program program = random_program(random, 2 + static_cast<std::uint32_t>(random.below(6)), 40);
    RandomStrategy recording{seed, 3};
    const std::vector<format::ReplayRun> turns = turns_of(SimulatedRun{program, recording}.run());
    StrategyInputs inputs;
    inputs.runs = turns;
    PlanChecker strategy(static_cast<TurnsStrategy&>(made_strategy(config_of(format::StrategyKind::Turns, 1), inputs)));
    SimulatedRun{program, strategy}.run();
    checked += strategy.checked;
  }
  EXPECT_GT(checked, 1'000u);
}

TEST(TurnsStrategy, reports_the_step_at_which_a_turn_ends_by_blocking) {
  const Program program(1, std::vector<Operation>(5, {EventKind::Write, 7}));
  RandomStrategy before{1, 1};
  SimulatedRun known{program, before};
  const std::vector<format::ReplayRun> turns{turn(0, 3, kForced), turn(0, 5, kStopped)};
  StrategyInputs inputs;
  inputs.runs = turns;
  auto& strategy = static_cast<TurnsStrategy&>(made_strategy(config_of(format::StrategyKind::Turns, 1), inputs));
  EXPECT_EQ(strategy.blocks_at(1), false);
  EXPECT_EQ(strategy.blocks_at(3), true);
  EXPECT_EQ(strategy.blocks_at(4), std::nullopt);
}

TEST(TurnsStrategy, without_turns_threads_run_one_after_the_other) {
  const Program program(2, std::vector<Operation>(2, {EventKind::Write, 7}));
  EXPECT_EQ(follow(program, {}).order, (Order{{0, 0}, {0, 1}, {1, 0}, {1, 1}}));
}

TEST(TurnsStrategy, preempts_a_thread_before_its_pending_operation) {
  const Program program(2, std::vector<Operation>(2, {EventKind::Write, 7}));
  const Execution execution = follow(program, {turn(0, 2, kStopped), turn(1, 2, kForced), turn(0, 2, kForced)});
  EXPECT_EQ(execution.order, (Order{{0, 0}, {1, 0}, {1, 1}, {0, 1}}));
  EXPECT_EQ(execution.preemptions, 1u);
}

TEST(TurnsStrategy, a_turn_that_cannot_run_yet_runs_at_the_next_choice) {
  // Thread 1 holds the lock that thread 0 needs; the turn of thread 0 ends at its last operation.
  Program program(2);
  program[0] = {{EventKind::Lock, 1}, {EventKind::Write, 7}, {EventKind::Unlock, 1}};
  program[1] = {{EventKind::Lock, 1}, {EventKind::Write, 7}, {EventKind::Unlock, 1}, {EventKind::Write, 8}};
  const Execution execution =
      follow(program, {turn(0, 1, kStopped), turn(1, 2, kStopped), turn(0, 3, kForced), turn(1, 4, kStopped)});
  EXPECT_EQ(execution.end, Execution::End::Finished);
  // Thread 1 is preempted at its last write, and thread 0 runs before it.
  EXPECT_EQ(execution.order, (Order{{1, 0}, {1, 1}, {1, 2}, {0, 0}, {0, 1}, {0, 2}, {1, 3}}));
}

TEST(TurnsStrategy, skips_turns_of_a_thread_that_does_not_exist) {
  const Program program(2, std::vector<Operation>(2, {EventKind::Write, 7}));
  const Execution execution =
      follow(program, {turn(0, 2, kStopped), turn(9, 5, kStopped), turn(1, 2, kForced), turn(0, 2, kForced)});
  EXPECT_EQ(execution.order, (Order{{0, 0}, {1, 0}, {1, 1}, {0, 1}}));
}

TEST(TurnsStrategy, a_spin_loop_terminates_without_a_preempting_turn) {
  Program program(2);
  program[0] = {{EventKind::Read, 5, SiteId{1}, false, true}};
  program[1] = {{EventKind::Write, 5}};
  Strategy& strategy = made_strategy(config_of(format::StrategyKind::Turns, 1), {});
  EXPECT_EQ((SimulatedRun{program, strategy, false, 50}.run().end), Execution::End::Finished);
}

}  // namespace
}  // namespace heddle::schedule
