#include "explore/bounds.h"

#include <gtest/gtest.h>

namespace heddle::explore {
namespace {

TEST(PctBound, is_that_of_the_paper_for_one_run) {
  EXPECT_DOUBLE_EQ(pct_bound({4, 100, 1, 1}), 1.0 / 4);
  EXPECT_DOUBLE_EQ(pct_bound({4, 100, 2, 1}), 1.0 / 400);
  EXPECT_DOUBLE_EQ(pct_bound({4, 100, 3, 1}), 1.0 / 40'000);
}

TEST(PctBound, grows_with_the_runs_towards_certainty) {
  EXPECT_DOUBLE_EQ(pct_bound({2, 10, 2, 0}), 0);
  EXPECT_NEAR(pct_bound({2, 10, 2, 2}), 1 - 0.95 * 0.95, 1e-12);
  EXPECT_NEAR(pct_bound({2, 10, 2, 1000}), 1, 1e-12);
  EXPECT_DOUBLE_EQ(pct_bound({1, 1, 3, 1}), 1);
}

TEST(PctBound, keeps_its_digits_when_it_is_tiny) {
  EXPECT_NEAR(pct_bound({8, 1'000'000, 4, 10}) / (10 / 8e18), 1, 1e-9);
}

}  // namespace
}  // namespace heddle::explore
