#include "schedule/policy/surw_strategy.h"

#include <gtest/gtest.h>

#include <map>
#include <string>

#include "base/hash.h"
#include "schedule/made_strategy_test.h"

namespace heddle::schedule {
namespace {

using format::EventKind;

constexpr int kSeeds = 10'000;
constexpr SiteId kInteresting{3};
constexpr SiteId kOther{4};

Operation interesting() { return {EventKind::Write, 7, kInteresting}; }
Operation other() { return {EventKind::Write, 8, kOther}; }

// Threads that no operation forks have no parent.
struct Family {
  std::vector<std::uint64_t> descents;
  std::vector<std::uint64_t> counts;

  explicit Family(const Program& program) : descents(SimulatedRun::kThreadsMax), counts(SimulatedRun::kThreadsMax) {
    for (std::uint32_t t = 0; t < SimulatedRun::kThreadsMax; ++t) descents[SimulatedRun::descent(t)] = 1000 + t;
    for (std::uint32_t t = 0; t < program.size(); ++t) {
      std::uint32_t children = 0;
      for (const Operation& at : program[t]) {
        if (at.kind == EventKind::Fork) {
          descents[SimulatedRun::descent(at.object)] = child_descent(descents[SimulatedRun::descent(t)], ++children);
        }
        counts[SimulatedRun::descent(t)] += at.site == kInteresting;
      }
    }
  }
};

Execution execute(const Program& program, const Family& family, std::uint64_t seed, std::uint64_t fair_points = 0) {
  static constexpr std::uint32_t kSites[] = {number(kInteresting)};
  StrategyInputs inputs;
  inputs.interesting = kSites;
  inputs.counts = family.counts;
  inputs.descents = family.descents;
  format::SessionConfig config = config_of(format::StrategyKind::Surw, seed);
  config.fair_points = fair_points;
  return SimulatedRun{program, made_strategy(config, inputs), false, fair_points}.run();
}

// The threads of the interesting operations, in order of execution.
std::map<std::string, int> count_orders(const Program& program) {
  const Family family{program};
  std::map<std::string, int> orders;
  for (std::uint64_t seed = 0; seed < kSeeds; ++seed) {
    std::string order;
    for (const auto& [thread, operation] : execute(program, family, seed).order) {
      if (program[thread][operation].site == kInteresting) order += static_cast<char>('0' + thread);
    }
    ++orders[order];
  }
  return orders;
}

// Chi-square statistic against the uniform distribution over all `total` orders.
double chi_square(const std::map<std::string, int>& orders, std::size_t total) {
  const double expected = static_cast<double>(kSeeds) / static_cast<double>(total);
  double sum = static_cast<double>(total - orders.size()) * expected;
  for (const auto& [order, times] : orders) sum += (times - expected) * (times - expected) / expected;
  return sum;
}

TEST(SurwStrategy, all_orders_of_the_interesting_operations_are_equally_likely) {
  const Program program{{interesting(), interesting(), interesting()}, {interesting(), interesting()}};
  EXPECT_LT(chi_square(count_orders(program), 10), 33.7);  // 9 degrees of freedom: exceeded once in 10,000
}

TEST(SurwStrategy, uninteresting_operations_do_not_change_the_distribution) {
  Program program{{interesting(), interesting(), interesting()}, {interesting(), interesting()}, {}};
  program[0].insert(program[0].begin() + 1, 10, other());
  program[1].insert(program[1].begin(), 3, other());
  program[2].assign(6, other());
  EXPECT_LT(chi_square(count_orders(program), 10), 33.7);
}

TEST(SurwStrategy, operations_of_a_child_count_for_its_parent_until_the_child_exists) {
  Program program{{other(), {EventKind::Fork, 1}, interesting(), interesting()},
                  {other(), other(), interesting(), interesting(), interesting(), interesting()}};
  EXPECT_LT(chi_square(count_orders(program), 15), 42.6);  // 14 degrees of freedom
}

// Thread 0 forks 1 and executes two operations; 1 executes one, forks 2 and executes another one; 2 executes two. The
// second of thread 1 and both of thread 2 follow the first of thread 1 in any order: 3 orders of "1" and "22". With
// "00" in any position, that is 3 * C(6, 2).
TEST(SurwStrategy, operations_of_a_grandchild_count_for_the_nearest_ancestor_that_exists) {
  Program program{{{EventKind::Fork, 1}, interesting(), interesting()},
                  {interesting(), {EventKind::Fork, 2}, interesting()},
                  {interesting(), interesting()}};
  EXPECT_LT(chi_square(count_orders(program), 45), 88.0);  // 44 degrees of freedom
}

// The first thread's second operation follows a join-like wait for the second thread. No order begins with it, and the
// run must not wait for it.
TEST(SurwStrategy, abandons_an_intention_that_cannot_be_fulfilled) {
  const Program program{{{EventKind::Wait, 1}, interesting(), interesting()},
                        {other(), interesting(), other(), {EventKind::Signal, 1}}};
  const Family family{program};
  int finished = 0;
  for (std::uint64_t seed = 0; seed < 1000; ++seed) {
    const Execution execution = execute(program, family, seed);
    const bool signalled_before = position(execution, 1, 3) < position(execution, 0, 0);
    ASSERT_EQ(execution.end, signalled_before ? Execution::End::Deadlock : Execution::End::Finished);
    finished += !signalled_before;
  }
  EXPECT_GT(finished, 300);
}

TEST(SurwStrategy, releases_a_held_back_thread_that_others_spin_on) {
  Operation spin{EventKind::AtomicRead, 9, kOther};
  spin.spins = true;
  const Program program{{spin, interesting(), interesting(), interesting()},
                        {spin, interesting(), interesting(), interesting()},
                        {interesting(), {EventKind::Write, 9, kOther}}};
  const Family family{program};
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    const Execution execution = execute(program, family, seed, 100);
    ASSERT_EQ(execution.end, Execution::End::Finished);
    ASSERT_LT(execution.steps, 2000u);
  }
}

TEST(SurwStrategy, wrong_counts_change_the_distribution_but_the_run_still_finishes) {
  const Program program{{interesting(), interesting(), interesting()}, {interesting(), interesting()}};
  Family family{program};
  for (const std::uint64_t wrong : {0u, 1u, 1000u}) {
    family.counts[SimulatedRun::descent(1)] = wrong;
    for (std::uint64_t seed = 0; seed < 100; ++seed) {
      ASSERT_EQ(execute(program, family, seed).order.size(), 5u);
    }
  }
}

}  // namespace
}  // namespace heddle::schedule
