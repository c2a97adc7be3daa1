#include "graph/ranking/label_chance.h"

#include <gtest/gtest.h>

namespace heddle::graph {
namespace {

// By hand: one of four runs fails. One run has a thing: it is that one by a chance of 1/4. Two have it: 1/2.
TEST(LabelChance, is_that_of_labels_dealt_at_random) {
  LabelChance labels(1, 4);
  EXPECT_DOUBLE_EQ(labels.of(1, 1), 0.25);
  EXPECT_DOUBLE_EQ(labels.of(1, 2), 0.5);
  EXPECT_DOUBLE_EQ(labels.of(0, 2), 1);
  EXPECT_NEAR(LabelChance(2, 4).of(2, 2), 1.0 / 6, 1e-12);
}

TEST(LabelChance, what_more_runs_have_is_as_telling_only_if_more_of_them_fail) {
  LabelChance labels(2, 4);
  const double both = labels.of(2, 2);
  EXPECT_NEAR(labels.as_telling(2, both), both, 1e-12);
  EXPECT_EQ(labels.as_telling(1, both), 0);
  EXPECT_EQ(labels.as_telling(4, both), 0);
  EXPECT_NEAR(labels.as_telling(1, 0.5), 0.5, 1e-12);
}

TEST(LabelChance, of_very_many_runs_the_shares_count) {
  LabelChance labels(500'000, 1'000'000);
  EXPECT_LT(labels.of(400'000, 500'000), 1e-9);
  EXPECT_NEAR(labels.of(250'000, 500'000), 0.5, 0.05);
}

}  // namespace
}  // namespace heddle::graph
