#include "explore/portfolio.h"

#include <gtest/gtest.h>

#include <bit>
#include <map>
#include <set>

namespace heddle::explore {
namespace {

using format::StrategyKind;

Profile two_objects() {
  Profile profile;
  profile.length = 400;
  profile.counts = {{0, 5, 10}, {1, 5, 20}, {1, 6, 3}, {2, 8, 7}};
  profile.groups = {{6, 5}, {8}};
  return profile;
}

TEST(Portfolio, is_a_function_of_its_arguments) {
  const Profile profile = two_objects();
  std::set<std::uint64_t> seeds;
  for (std::uint64_t index = 0; index < 500; ++index) {
    const PlannedSchedule one = plan_schedule(9, index, profile);
    const PlannedSchedule again = plan_schedule(9, index, profile);
    EXPECT_EQ(one.strategy, again.strategy);
    EXPECT_EQ(one.seed, again.seed);
    EXPECT_EQ(one.quantum, again.quantum);
    EXPECT_EQ(one.interesting, again.interesting);
    EXPECT_NE(one.seed, plan_schedule(10, index, profile).seed);
    seeds.insert(one.seed);
  }
  EXPECT_EQ(seeds.size(), 500u);
}

TEST(Portfolio, uses_all_strategies_and_settings_early) {
  const Profile profile = two_objects();
  std::map<StrategyKind, int> strategies;
  std::map<std::uint32_t, int> depths;
  std::map<int, int> quanta;  // by magnitude
  for (const std::uint64_t index : {0u, 1u, 2u, 3u}) ++strategies[plan_schedule(1, index, profile).strategy];
  EXPECT_EQ(strategies.size(), 4u);
  for (std::uint64_t index = 0; index < 1600; ++index) {
    const PlannedSchedule plan = plan_schedule(1, index, profile);
    if (plan.strategy == StrategyKind::Pct) {
      ++depths[plan.depth];
      EXPECT_EQ(plan.length, 400u);
    }
    if (plan.strategy == StrategyKind::Random) {
      ASSERT_GE(plan.quantum, 1u);
      ASSERT_LE(plan.quantum, 32u);
      ++quanta[static_cast<int>(std::bit_width(plan.quantum))];
    }
  }
  for (const std::uint32_t depth : {2u, 3u, 4u, 5u}) EXPECT_GT(depths[depth], 20);
  EXPECT_GT(depths[2], 2 * depths[5]);
  for (const int magnitude : {1, 2, 3, 4, 5}) EXPECT_GT(quanta[magnitude], 50);
}

TEST(Portfolio, limits_the_quantum_by_the_length_of_the_program) {
  Profile profile = two_objects();
  std::uint64_t largest = 0;
  for (profile.length = 12; const std::uint64_t index : {0u, 4u, 8u, 12u}) {
    EXPECT_LE(plan_schedule(1, index, profile).quantum, 3u);
  }
  profile.length = 1'000'000;
  for (std::uint64_t index = 0; index < 1600; ++index) {
    largest = std::max(largest, plan_schedule(1, index, profile).quantum);
  }
  EXPECT_GT(largest, 4'000u);
  EXPECT_LE(largest, 1'000'000u / 64);
  profile.length = 0;
  for (std::uint64_t index = 0; index < 100; ++index) EXPECT_LE(plan_schedule(1, index, profile).quantum, 1u);
}

TEST(Portfolio, chooses_the_operations_on_one_shared_object_as_interesting) {
  const Profile profile = two_objects();
  std::set<std::vector<std::uint32_t>> drawn;
  for (std::uint64_t index = 0; index < 320; ++index) {
    const PlannedSchedule plan = plan_schedule(1, index, profile);
    if (plan.strategy != StrategyKind::Surw) continue;
    drawn.insert(plan.interesting);
    const bool first = plan.interesting == std::vector<std::uint32_t>{5, 6};
    EXPECT_EQ(plan.counts, (first ? std::vector<std::uint64_t>{10, 23} : std::vector<std::uint64_t>{0, 0, 7}));
  }
  EXPECT_EQ(drawn, (std::set<std::vector<std::uint32_t>>{{5, 6}, {8}}));
}

TEST(Portfolio, draws_sites_if_the_groups_are_unknown) {
  Profile profile = two_objects();
  profile.groups.clear();
  std::set<std::vector<std::uint32_t>> drawn;
  for (std::uint64_t index = 0; index < 100; ++index) {
    drawn.insert(plan_schedule(1, index, profile, StrategyKind::Surw).interesting);
  }
  EXPECT_TRUE(drawn.contains({5, 6, 8}));
  EXPECT_GT(drawn.size(), 4u);
}

TEST(Portfolio, uses_only_the_requested_strategy) {
  for (std::uint64_t index = 0; index < 50; ++index) {
    EXPECT_EQ(plan_schedule(1, index, two_objects(), StrategyKind::Pct).strategy, StrategyKind::Pct);
    EXPECT_EQ(plan_schedule(1, index, two_objects(), StrategyKind::Random).strategy, StrategyKind::Random);
    EXPECT_EQ(plan_schedule(1, index, two_objects(), StrategyKind::Pos).strategy, StrategyKind::Pos);
  }
}

TEST(Portfolio, does_not_use_surw_if_no_site_is_shared) {
  for (std::uint64_t index = 0; index < 64; ++index) {
    EXPECT_NE(plan_schedule(1, index, {}).strategy, StrategyKind::Surw);
  }
}

}  // namespace
}  // namespace heddle::explore
