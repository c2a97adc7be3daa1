#include "schedule/replay/replay_strategy.h"

#include <gtest/gtest.h>

#include "schedule/policy/random_strategy.h"
#include "schedule/simulated_program.h"

namespace heddle::schedule {
namespace {

using Cause = ReplayStrategy::Cause;

Execution record(const Program& program, std::uint64_t seed) {
  RandomStrategy strategy{seed, 3};
  return SimulatedRun{program, strategy}.run();
}

ReplayStrategy replay_of(const Execution& recorded) {
  return {recorded.runs, recorded.choices, SimulatedRun::thread_of};
}

TEST(ReplayStrategy, repeats_every_recorded_run_exactly) {
  Random random{11};
  std::size_t deadlocks = 0;
  std::size_t choices = 0;
  for (std::uint64_t seed = 0; seed < 500; ++seed) {
    const Program program = random_program(random, 2 + static_cast<std::uint32_t>(random.below(6)), 40);
    const Execution recorded = record(program, seed);
    ReplayStrategy strategy = replay_of(recorded);
    const Execution replayed = SimulatedRun{program, strategy, true}.run();
    ASSERT_FALSE(strategy.divergence()) << describe(strategy.divergence()->cause);
    ASSERT_EQ(replayed.end, recorded.end);
    ASSERT_EQ(replayed.order, recorded.order);
    ASSERT_EQ(replayed.hash, recorded.hash);
    ASSERT_EQ(replayed.choices, recorded.choices);
    ASSERT_EQ(replayed.runs.size(), recorded.runs.size());
    deadlocks += recorded.end == Execution::End::Deadlock;
    choices += recorded.choices.size();
  }
  // The recordings contain enough of what a replay must repeat.
  EXPECT_GT(deadlocks, 10u);
  EXPECT_GT(choices, 10u);
}

TEST(ReplayStrategy, a_changed_program_diverges_or_behaves_as_recorded) {
  Random random{12};
  std::size_t diverged = 0;
  for (std::uint64_t seed = 0; seed < 300; ++seed) {
    Program program = random_program(random, 4, 40);
    const Execution recorded = record(program, seed);
    auto& thread = program[random.below(program.size())];
    thread.insert(thread.begin() + static_cast<std::ptrdiff_t>(random.below(thread.size())),
                  {format::EventKind::Write, 99, SiteId{9}});
    ReplayStrategy strategy = replay_of(recorded);
    const Execution replayed = SimulatedRun{program, strategy, true}.run();
    ASSERT_EQ(replayed.end == Execution::End::Diverged, strategy.divergence().has_value());
    if (replayed.end != Execution::End::Diverged) continue;
    ++diverged;
    ASSERT_LT(strategy.divergence()->run, recorded.runs.size());
  }
  EXPECT_GT(diverged, 200u);
}

class ReplayDivergence : public ::testing::Test {
 protected:
  // Runs a program once, so that SimulatedRun::thread_of() finds threads 0, 1 and 2.
  void SetUp() override {
    const Program program{{{format::EventKind::Fork, 1}, {format::EventKind::Fork, 2}}, {}, {}};
    RandomStrategy strategy{1, 1};
    SimulatedRun{program, strategy}.run();
  }

  // Ends the first of several runs, each of one thread for three points, in the given situation.
  std::optional<ThreadId> end_first_run(bool forced, const Situation& situation,
                                        std::initializer_list<std::uint32_t> threads = {0, 1, 2}) {
    runs_ = {{SimulatedRun::descent(0), 3, 77, forced ? 1u : 0u},
             {SimulatedRun::descent(1), 3, 88, 1},
             {SimulatedRun::descent(0), 3, 99, 1}};
    strategy_.emplace(runs_, choices_, SimulatedRun::thread_of);
    std::vector<Pending> pending;
    for (const std::uint32_t t : threads) pending.push_back({ThreadId{t}, format::EventKind::Lock, kNoSite, 1});
    return strategy_->choose(situation, pending);
  }
  void expect_cause(Cause cause, std::uint64_t run, std::uint32_t thread) {
    ASSERT_TRUE(strategy_->divergence());
    EXPECT_EQ(strategy_->divergence()->cause, cause);
    EXPECT_EQ(strategy_->divergence()->run, run);
    EXPECT_EQ(strategy_->divergence()->expected_thread, SimulatedRun::descent(thread));
  }
  static Situation at_point(std::uint64_t step, std::uint32_t check) {
    return {Question::Run, ThreadId{0}, true, false, step, check};
  }
  static Situation blocked(std::uint64_t step, std::uint32_t check) {
    return {Question::Run, ThreadId{0}, false, false, step, check};
  }

  std::vector<format::ReplayRun> runs_;
  std::vector<std::uint32_t> choices_;
  std::optional<ReplayStrategy> strategy_;
};

TEST_F(ReplayDivergence, none_when_the_run_is_as_recorded) {
  EXPECT_EQ(end_first_run(false, at_point(3, 77)), ThreadId{1});
  EXPECT_EQ(end_first_run(true, blocked(3, 77), {1, 2}), ThreadId{1});
  EXPECT_FALSE(strategy_->divergence());
}

TEST_F(ReplayDivergence, a_forced_run_has_no_choice_at_its_last_point) {
  end_first_run(false, at_point(1, 0));
  EXPECT_EQ(strategy_->points_until_choice(), 3u);
  end_first_run(true, at_point(1, 0));
  EXPECT_EQ(strategy_->points_until_choice(), 4u);
}

TEST_F(ReplayDivergence, when_a_thread_blocks_early) {
  EXPECT_EQ(end_first_run(false, blocked(2, 77), {1, 2}), std::nullopt);
  expect_cause(Cause::StoppedEarly, 0, 0);
}

TEST_F(ReplayDivergence, when_a_thread_does_not_block_where_the_recorded_one_did) {
  EXPECT_EQ(end_first_run(true, at_point(4, 77)), std::nullopt);
  expect_cause(Cause::DidNotBlock, 0, 0);
}

TEST_F(ReplayDivergence, when_a_thread_blocks_where_the_recorded_one_was_preempted) {
  EXPECT_EQ(end_first_run(false, blocked(3, 77), {1, 2}), std::nullopt);
  expect_cause(Cause::BlockedInstead, 0, 0);
}

TEST_F(ReplayDivergence, when_the_events_differ) {
  EXPECT_EQ(end_first_run(false, at_point(3, 78)), std::nullopt);
  expect_cause(Cause::HashDiffers, 0, 0);
}

TEST_F(ReplayDivergence, when_the_next_thread_is_not_runnable) {
  EXPECT_EQ(end_first_run(false, at_point(3, 77), {0, 2}), std::nullopt);
  expect_cause(Cause::NotRunnable, 1, 1);
}

TEST_F(ReplayDivergence, when_the_thread_to_be_woken_is_not_waiting) {
  choices_ = {SimulatedRun::descent(2), SimulatedRun::descent(2)};
  const Situation waking{Question::Wake, ThreadId{0}, true, false, 1, 0};
  EXPECT_EQ(end_first_run(false, waking, {1, 2}), ThreadId{2});
  EXPECT_EQ(strategy_->choose(waking, std::vector<Pending>{{ThreadId{1}, format::EventKind::Wait, kNoSite, 1}}),
            std::nullopt);
  expect_cause(Cause::NotWaiting, 0, 2);
}

TEST_F(ReplayDivergence, once_found_ends_every_later_choice) {
  end_first_run(false, at_point(3, 78));
  EXPECT_EQ(
      strategy_->choose(at_point(3, 77), std::vector<Pending>{{ThreadId{0}, format::EventKind::Read, kNoSite, 1}}),
      std::nullopt);
}

TEST_F(ReplayDivergence, none_after_the_last_run_which_continues_sequentially) {
  runs_ = {{SimulatedRun::descent(0), 3, 77, 1}};
  ReplayStrategy strategy{runs_, choices_, SimulatedRun::thread_of};
  const std::vector<Pending> pending{{ThreadId{1}, format::EventKind::Read, kNoSite, 1},
                                     {ThreadId{2}, format::EventKind::Read, kNoSite, 1}};
  EXPECT_GT(strategy.points_until_choice(), 1u << 30);
  EXPECT_EQ(strategy.choose({Question::Run, ThreadId{0}, false, false, 9, 5}, pending), ThreadId{1});
  EXPECT_EQ(strategy.choose({Question::Run, ThreadId{2}, true, false, 12, 5}, pending), ThreadId{2});
  EXPECT_FALSE(strategy.divergence());
}

}  // namespace
}  // namespace heddle::schedule
