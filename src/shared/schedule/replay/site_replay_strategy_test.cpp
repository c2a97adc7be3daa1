#include "schedule/replay/site_replay_strategy.h"

#include <gtest/gtest.h>

#include <memory>

#include "schedule/policy/random_strategy.h"
#include "schedule/simulated_program.h"

namespace heddle::schedule {
namespace {

using format::EventKind;

// A strategy with its storage.
class SiteReplay {
 public:
  explicit SiteReplay(const Execution& recorded, std::uint64_t fair_points = 0)
      : places_(SiteReplayStrategy::places_needed(recorded.switches)),
        done_(std::make_unique<bool[]>(recorded.switches.size())),
        since_(recorded.switches.size()),
        strategy({recorded.switches, recorded.site_names, recorded.choices, SimulatedRun::thread_of,
                  SimulatedRun::name_of, fair_points},
                 {places_, {done_.get(), recorded.switches.size()}, since_}) {}

 private:
  std::vector<PlaceCount> places_;
  std::unique_ptr<bool[]> done_;
  std::vector<std::uint32_t> since_;

 public:
  SiteReplayStrategy strategy;
};

Execution record(const Program& program, std::uint64_t seed) {
  RandomStrategy strategy{seed, 3};
  return SimulatedRun{program, strategy}.run();
}

// Adds accesses at new sites.
void change(Program& program, Random& random) {
  for (auto& thread : program) {
    for (int i = 0; i < 10; ++i) {
      thread.insert(thread.begin() + static_cast<std::ptrdiff_t>(random.below(thread.size() + 1)),
                    {EventKind::Write, 50, SiteId{20}, true});
    }
  }
}

TEST(SiteReplayStrategy, repeats_the_run_of_the_same_program) {
  Random random{21};
  for (std::uint64_t seed = 0; seed < 300; ++seed) {
    const Program program = random_program(random, 2 + static_cast<std::uint32_t>(random.below(6)), 40);
    const Execution recorded = record(program, seed);
    SiteReplay replay{recorded};
    const Execution replayed = SimulatedRun{program, replay.strategy}.run();
    ASSERT_EQ(replayed.order, recorded.order) << seed;
    ASSERT_EQ(replay.strategy.preemptions_met(), replay.strategy.preemptions_total());
    ASSERT_EQ(replay.strategy.preemptions_total(), recorded.preemptions);
  }
}

TEST(SiteReplayStrategy, repeats_the_run_in_a_program_with_new_sites) {
  Random random{22};
  std::uint64_t preemptions = 0;
  for (std::uint64_t seed = 0; seed < 300; ++seed) {
    Program program = random_program(random, 2 + static_cast<std::uint32_t>(random.below(6)), 40);
    const Execution recorded = record(program, seed);
    change(program, random);
    SiteReplay replay{recorded};
    const Execution replayed = SimulatedRun{program, replay.strategy}.run();
    ASSERT_EQ(replayed.order, recorded.order) << seed;
    ASSERT_EQ(replayed.hash, recorded.hash);
    ASSERT_EQ(replay.strategy.preemptions_met(), replay.strategy.preemptions_total());
    preemptions += recorded.preemptions;
  }
  EXPECT_GT(preemptions, 1000u);
}

class SiteReplayByHand : public ::testing::Test {
 protected:
  // Main forks one thread; both then read at site 1 five times.
  static Program two_readers() {
    Program program{{{EventKind::Fork, 1}}, {}};
    for (auto& thread : program) {
      for (int i = 0; i < 5; ++i) thread.push_back({EventKind::Read, 7, SiteId{1}});
    }
    return program;
  }
  static void add_preemption(Execution& wanted, std::uint32_t from, std::uint32_t to, SiteId site,
                             std::uint32_t occurrence) {
    wanted.switches.push_back({SimulatedRun::descent(from), SimulatedRun::descent(to), EventKind::Read, 1, 0,
                               occurrence, static_cast<std::uint32_t>(wanted.site_names.size()), 1});
    wanted.site_names.push_back(SimulatedRun::name_of(site));
  }
};

TEST_F(SiteReplayByHand, switches_before_the_named_occurrence) {
  Execution wanted;
  add_preemption(wanted, 0, 1, SiteId{1}, 3);
  SiteReplay replay{wanted};
  const Execution done = SimulatedRun{two_readers(), replay.strategy}.run();
  ASSERT_EQ(done.runs.size(), 3u);
  EXPECT_EQ(done.runs[0].points, 4u);  // the fork, two reads, and the third read, which is still pending
  EXPECT_EQ(done.runs[1].points, 5u);
  EXPECT_EQ(replay.strategy.preemptions_met(), 1u);
}

TEST_F(SiteReplayByHand, does_not_count_a_switch_whose_place_was_removed_and_meets_the_later_ones) {
  Execution wanted;
  add_preemption(wanted, 0, 1, SiteId{9}, 1);
  add_preemption(wanted, 0, 1, SiteId{1}, 4);
  SiteReplay replay{wanted};
  const Execution done = SimulatedRun{two_readers(), replay.strategy}.run();
  EXPECT_EQ(done.end, Execution::End::Finished);
  EXPECT_EQ(done.runs[0].points, 5u);
  EXPECT_EQ(replay.strategy.preemptions_met(), 1u);
  EXPECT_EQ(replay.strategy.preemptions_total(), 2u);
}

TEST_F(SiteReplayByHand, a_place_is_met_even_if_the_other_thread_is_not_runnable_there) {
  Execution wanted;
  add_preemption(wanted, 0, 2, SiteId{1}, 2);
  SiteReplay replay{wanted};
  const Execution done = SimulatedRun{two_readers(), replay.strategy}.run();
  EXPECT_EQ(done.end, Execution::End::Finished);
  EXPECT_EQ(done.preemptions, 0u);
  EXPECT_EQ(replay.strategy.preemptions_met(), 1u);
}

// Thread 0 was preempted at its first lock after the second read of site 1. In this program it takes no lock there.
TEST_F(SiteReplayByHand, a_place_that_was_removed_is_met_before_the_next_access) {
  Execution wanted;
  wanted.site_names = {SimulatedRun::name_of(SiteId{1})};
  wanted.switches.push_back(
      {SimulatedRun::descent(0), SimulatedRun::descent(1), EventKind::Lock, 1, 0, 7, 0, 0, 0, 1, 2, 1});
  SiteReplay replay{wanted};
  const Execution done = SimulatedRun{two_readers(), replay.strategy}.run();
  ASSERT_EQ(done.runs.size(), 3u);
  EXPECT_EQ(done.runs[0].points, 4u);  // the fork, two reads, and the third read, which is still pending
  EXPECT_EQ(replay.strategy.preemptions_met(), 1u);
}

// Thread 0 was preempted at each of two locks that it takes after the same read.
TEST_F(SiteReplayByHand, preempts_at_the_first_and_the_second_operation_after_one_access) {
  Program program = two_readers();
  program[0].insert(program[0].begin() + 2, {{EventKind::Lock, 3}, {EventKind::Lock, 4}});
  Execution wanted;
  wanted.site_names = {SimulatedRun::name_of(SiteId{1})};
  for (const std::uint32_t nth : {1u, 2u}) {
    wanted.switches.push_back(
        {SimulatedRun::descent(0), SimulatedRun::descent(1), EventKind::Lock, 1, 0, nth, 0, 0, 0, 1, 1, nth});
    add_preemption(wanted, 1, 0, SiteId{1}, nth);
  }
  SiteReplay replay{wanted};
  const Execution done = SimulatedRun{program, replay.strategy}.run();
  EXPECT_EQ(replay.strategy.preemptions_met(), 4u);
  ASSERT_GE(done.runs.size(), 3u);
  EXPECT_EQ(done.runs[0].points, 3u);  // the fork, a read, and the first lock, which is still pending
  EXPECT_EQ(done.runs[2].points, 1u);  // only the first lock; the second is still pending
}

TEST_F(SiteReplayByHand, matches_any_of_several_candidate_names) {
  Execution wanted;
  wanted.site_names = {SimulatedRun::name_of(SiteId{8}), SimulatedRun::name_of(SiteId{1})};
  wanted.switches.push_back(
      {SimulatedRun::descent(0), SimulatedRun::descent(1), EventKind::Read, 1, 0, 2, 0, 2, 0, 0, 0, 0});
  SiteReplay replay{wanted};
  SimulatedRun{two_readers(), replay.strategy}.run();
  EXPECT_EQ(replay.strategy.preemptions_met(), 1u);
}

TEST_F(SiteReplayByHand, a_thread_that_spins_passes_the_turn) {
  Program program = two_readers();
  program[0].resize(200, {EventKind::Read, 7, SiteId{1}});
  const Execution nothing_wanted;
  SiteReplay replay{nothing_wanted, 50};
  const Execution done = SimulatedRun{program, replay.strategy}.run();
  EXPECT_EQ(done.runs[0].points, 50u);
}

}  // namespace
}  // namespace heddle::schedule
