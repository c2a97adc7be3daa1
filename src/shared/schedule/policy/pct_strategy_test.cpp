#include "schedule/policy/pct_strategy.h"

#include <gtest/gtest.h>

#include <cmath>

#include "schedule/made_strategy_test.h"

namespace heddle::schedule {
namespace {

using format::EventKind;

Program writers(std::uint32_t threads, std::uint32_t operations) {
  return Program(threads, std::vector<Operation>(operations, {EventKind::Write, 7}));
}

Execution execute(const Program& program, std::uint32_t depth, std::uint64_t seed, std::uint64_t fair_points = 0) {
  format::SessionConfig config = config_of(format::StrategyKind::Pct, seed);
  config.depth = depth;
  config.length = 0;
  for (const auto& thread : program) config.length += thread.size();
  return SimulatedRun{program, made_strategy(config), false, fair_points}.run();
}

struct Place {
  std::uint32_t thread;
  std::size_t operation;
};

// The number of seeds, out of 10,000, that execute these operations in this order.
int count_orders(const Program& program, std::uint32_t depth, const std::vector<Place>& wanted) {
  int met = 0;
  for (std::uint64_t seed = 0; seed < 10'000; ++seed) {
    const Execution execution = execute(program, depth, seed);
    bool in_order = true;
    for (std::size_t i = 1; i < wanted.size(); ++i) {
      in_order = in_order && position(execution, wanted[i - 1].thread, wanted[i - 1].operation) <
                                 position(execution, wanted[i].thread, wanted[i].operation);
    }
    met += in_order;
  }
  return met;
}

// The bound is five standard deviations below the paper's guarantee.
double guaranteed(double threads, double steps, std::uint32_t depth) {
  const double expected = 10'000 / (threads * std::pow(steps, depth - 1));
  return expected - 5 * std::sqrt(expected);
}

TEST(PctStrategy, meets_a_bug_of_depth_1_with_the_guaranteed_probability) {
  EXPECT_GE(count_orders(writers(4, 5), 1, {{3, 0}, {0, 0}}), guaranteed(4, 20, 1));
}

TEST(PctStrategy, meets_a_bug_of_depth_2_with_the_guaranteed_probability) {
  const Program program = writers(3, 4);
  const std::vector<Place> between{{0, 1}, {1, 2}, {0, 2}};
  EXPECT_GE(count_orders(program, 2, between), guaranteed(3, 12, 2));
  EXPECT_EQ(count_orders(program, 1, between), 0);
}

TEST(PctStrategy, meets_a_bug_of_depth_3_with_the_guaranteed_probability) {
  const Program program = writers(2, 4);
  const std::vector<Place> twice{{0, 1}, {1, 1}, {0, 2}, {1, 2}};
  ASSERT_GT(guaranteed(2, 8, 3), 30);
  EXPECT_GE(count_orders(program, 3, twice), guaranteed(2, 8, 3));
  EXPECT_EQ(count_orders(program, 2, twice), 0);
}

TEST(PctStrategy, gives_every_thread_the_same_chance_to_be_first) {
  int first[4] = {};
  for (std::uint64_t seed = 0; seed < 10'000; ++seed) ++first[execute(writers(4, 3), 1, seed).order[0].first];
  for (const int times : first) EXPECT_NEAR(times, 2500, 5 * 43);
}

TEST(PctStrategy, a_runnable_thread_with_higher_priority_runs_immediately) {
  Program program = writers(2, 10);
  program[0].insert(program[0].begin(), {EventKind::Fork, 1});
  int at_once = 0;
  for (std::uint64_t seed = 0; seed < 1000; ++seed) {
    const Execution execution = execute(program, 1, seed);
    const std::size_t begun = position(execution, 1, 0);
    ASSERT_TRUE(begun == 1 || begun == 11) << seed;  // before all of main's, or after
    at_once += begun == 1;
  }
  EXPECT_NEAR(at_once, 500, 5 * 16);
}

TEST(PctStrategy, a_thread_that_yields_runs_after_all_others) {
  Program program = writers(3, 3);
  program[1].insert(program[1].begin() + 1, {EventKind::Yield});
  for (std::uint64_t seed = 0; seed < 100; ++seed) {
    const Execution execution = execute(program, 1, seed);
    const std::size_t yield = position(execution, 1, 1);
    ASSERT_GT(yield, position(execution, 0, 2));
    ASSERT_GT(yield, position(execution, 2, 2));
  }
}

TEST(PctStrategy, clamps_a_depth_that_is_too_large) {
  EXPECT_EQ(execute(writers(3, 5), 1'000'000, 1).end, Execution::End::Finished);
}

}  // namespace
}  // namespace heddle::schedule
