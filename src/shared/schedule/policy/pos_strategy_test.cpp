#include "schedule/policy/pos_strategy.h"

#include <gtest/gtest.h>

#include <cmath>
#include <map>

#include "schedule/made_strategy_test.h"

namespace heddle::schedule {
namespace {

using format::EventKind;

constexpr int kSeeds = 10'000;

// All threads start at their first operation, and no operation blocks.
Execution execute(const Program& program, std::uint64_t seed) {
  Strategy& strategy = made_strategy(config_of(format::StrategyKind::Pos, seed));
  std::vector<std::size_t> done(program.size());
  ThreadId current = kMainThread;
  Execution execution;
  for (;;) {
    std::vector<Pending> pending;
    for (std::uint32_t t = 0; t < program.size(); ++t) {
      if (done[t] == program[t].size()) continue;
      const Operation& at = program[t][done[t]];
      pending.push_back({ThreadId{t}, at.kind, at.site, at.object});
    }
    if (pending.empty()) return execution;
    const bool runnable = done[number(current)] < program[number(current)].size();
    current = *strategy.choose({Question::Run, current, runnable, false, ++execution.steps, 0}, pending);
    execution.order.emplace_back(number(current), done[number(current)]++);
  }
}

void expect_share(int times, double share) {
  EXPECT_NEAR(times, kSeeds * share, 5 * std::sqrt(kSeeds * share * (1 - share)));
}

TEST(OperationsRace, when_they_touch_the_same_object_and_are_not_both_reads) {
  const auto at = [](EventKind kind, std::uint64_t object) { return Pending{kMainThread, kind, kNoSite, object}; };
  EXPECT_TRUE(operations_race(at(EventKind::Read, 1), at(EventKind::Write, 1)));
  EXPECT_TRUE(operations_race(at(EventKind::AtomicUpdate, 1), at(EventKind::AtomicRead, 1)));
  EXPECT_TRUE(operations_race(at(EventKind::Lock, 1), at(EventKind::Lock, 1)));
  EXPECT_FALSE(operations_race(at(EventKind::Read, 1), at(EventKind::AtomicRead, 1)));
  EXPECT_FALSE(operations_race(at(EventKind::Write, 1), at(EventKind::Write, 2)));
  EXPECT_FALSE(operations_race(at(EventKind::Yield, 0), at(EventKind::Yield, 0)));
}

TEST(PosStrategy, all_orders_of_one_operation_each_are_equally_likely) {
  const Program program(3, {{EventKind::Write, 7}});
  std::map<std::vector<std::pair<std::uint32_t, std::size_t>>, int> orders;
  for (std::uint64_t seed = 0; seed < kSeeds; ++seed) ++orders[execute(program, seed).order];
  EXPECT_EQ(orders.size(), 6u);
  for (const auto& [order, times] : orders) expect_share(times, 1.0 / 6);
}

// A thread with five private operations before the race must win six times against the other's priority, which is the
// lowest of seven with probability 1/7. With a random walk the thread would win the race with probability 1/64.
TEST(PosStrategy, a_thread_far_from_a_race_still_wins_it_often) {
  Program program(2);
  program[0].assign(5, {EventKind::Write, 5});
  program[0].push_back({EventKind::Write, 7});
  program[1] = {{EventKind::Write, 7}};
  int wins = 0;
  for (std::uint64_t seed = 0; seed < kSeeds; ++seed) {
    const Execution execution = execute(program, seed);
    wins += position(execution, 0, 5) < position(execution, 1, 0);
  }
  expect_share(wins, 1.0 / 7);
}

// All operations race, so each step draws all priorities again: as in a random walk, every branch halves the runs.
TEST(PosStrategy, the_loser_of_a_race_draws_again) {
  const Program program(2, std::vector<Operation>(2, {EventKind::Write, 7}));
  std::map<std::vector<std::pair<std::uint32_t, std::size_t>>, int> orders;
  for (std::uint64_t seed = 0; seed < kSeeds; ++seed) ++orders[execute(program, seed).order];
  EXPECT_EQ(orders.size(), 6u);
  for (const auto& [order, times] : orders) {
    const bool one_after_the_other = order[0].first == order[1].first;
    expect_share(times, one_after_the_other ? 1.0 / 4 : 1.0 / 8);
  }
}

// Without a race the loser keeps its priority. It has lost against the first operation, so its priority is probably
// low.
TEST(PosStrategy, the_loser_keeps_its_priority_without_a_race) {
  Program program(2);
  program[0].assign(2, {EventKind::Write, 5});
  program[1].assign(2, {EventKind::Write, 6});
  int second_too = 0;
  for (std::uint64_t seed = 0; seed < kSeeds; ++seed) {
    const Execution execution = execute(program, seed);
    second_too += position(execution, 0, 1) < position(execution, 1, 0);
  }
  expect_share(second_too, 1.0 / 3);  // the lowest of three
}

}  // namespace
}  // namespace heddle::schedule
