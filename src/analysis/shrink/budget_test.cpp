#include "shrink/budget.h"

#include <gtest/gtest.h>

namespace heddle::shrink {
namespace {

constexpr std::uint64_t kMediumLength = 1'000'000;

TEST(Budget, counts_steps_instead_of_runs_for_a_short_original) {
  Budget budget(100);
  EXPECT_TRUE(budget.can_afford(7'000, 100));
  EXPECT_FALSE(budget.can_afford(7'001, 100));
  budget.spend(100);
  EXPECT_FALSE(budget.can_afford(7'000, 100));
}

TEST(Budget, reserves_steps_for_short_runs) {
  Budget budget(kMediumLength);
  budget.spend(7 * kMediumLength);
  EXPECT_FALSE(budget.can_afford(1, kMediumLength));
  EXPECT_TRUE(budget.can_afford(1, kMediumLength / 8));
}

TEST(Budget, excludes_unavoidable_steps) {
  Budget budget(kMediumLength);
  budget.spend(3 * kMediumLength);
  const std::uint64_t before = budget.affordable();
  budget.note_unavoidable(3 * kMediumLength);
  EXPECT_EQ(budget.affordable(), before + 3 * kMediumLength);
}

TEST(Budget, bounds_the_effort_for_a_long_original_once_the_run_is_small) {
  constexpr std::uint64_t kLong = 10'000'000;
  Budget budget(kLong);
  budget.spend(kLong, 0, Heuristics::kValuesTenths);  // costs the effort of two unrecorded runs
  const std::uint64_t before = budget.affordable();
  budget.note_failing(1'000);
  EXPECT_LT(budget.affordable(), before);
  EXPECT_GT(budget.affordable(), Heuristics::kReplays * kLong / 2 - kLong);
  EXPECT_EQ(budget.shortest(), 1'000u);
}

}  // namespace
}  // namespace heddle::shrink
