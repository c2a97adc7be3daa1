#include "explore/bounds.h"

#include <gtest/gtest.h>

namespace heddle::explore {
namespace {

TEST(PctGuarantee, is_that_of_the_paper_for_one_run) {
  EXPECT_DOUBLE_EQ(pct_guarantee(1, 4, 100, 1), 1.0 / 4);
  EXPECT_DOUBLE_EQ(pct_guarantee(2, 4, 100, 1), 1.0 / 400);
  EXPECT_DOUBLE_EQ(pct_guarantee(3, 4, 100, 1), 1.0 / 40'000);
}

TEST(PctGuarantee, grows_with_the_runs_towards_certainty) {
  EXPECT_DOUBLE_EQ(pct_guarantee(2, 2, 10, 0), 0);
  EXPECT_NEAR(pct_guarantee(2, 2, 10, 2), 1 - 0.95 * 0.95, 1e-12);
  EXPECT_NEAR(pct_guarantee(2, 2, 10, 1000), 1, 1e-12);
  EXPECT_DOUBLE_EQ(pct_guarantee(3, 1, 1, 1), 1);
}

TEST(PctGuarantee, keeps_its_digits_when_it_is_tiny) {
  EXPECT_NEAR(pct_guarantee(4, 8, 1'000'000, 10) / (10 / 8e18), 1, 1e-9);
}

}  // namespace
}  // namespace heddle::explore
