#include "shrink/budget.h"

#include <gtest/gtest.h>

namespace heddle::shrink {
namespace {

constexpr std::uint64_t kMiddling = 1'000'000;

TEST(Budget, of_a_short_original_counts_steps_and_not_runs) {
  Budget budget(100);
  EXPECT_TRUE(budget.can_afford(7'000, 100));
  EXPECT_FALSE(budget.can_afford(7'001, 100));
  budget.spend(100);
  EXPECT_FALSE(budget.can_afford(7'000, 100));
}

TEST(Budget, leaves_something_for_short_runs) {
  Budget budget(kMiddling);
  budget.spend(7 * kMiddling);
  EXPECT_FALSE(budget.can_afford(1, kMiddling));
  EXPECT_TRUE(budget.can_afford(1, kMiddling / 8));
}

TEST(Budget, does_not_count_what_could_not_be_avoided) {
  Budget budget(kMiddling);
  budget.spend(3 * kMiddling);
  const std::uint64_t before = budget.affordable();
  budget.note_unavoidable(3 * kMiddling);
  EXPECT_EQ(budget.affordable(), before + 3 * kMiddling);
}

TEST(Budget, of_a_long_original_bounds_the_effort_once_the_run_is_small) {
  constexpr std::uint64_t kLong = 10'000'000;
  Budget budget(kLong);
  budget.spend(kLong, 0, Heuristics::kValuesTenths);  // the effort of two
  const std::uint64_t before = budget.affordable();
  budget.note_failing(1'000);
  EXPECT_LT(budget.affordable(), before);
  EXPECT_GT(budget.affordable(), Heuristics::kReplays * kLong / 2 - kLong);
  EXPECT_EQ(budget.shortest(), 1'000u);
}

}  // namespace
}  // namespace heddle::shrink
