#include "graph/ranking/label_chance.h"

#include <gtest/gtest.h>

namespace heddle::graph {
namespace {

// By hand: one of four runs fails. An edge of one run is in the failing run with probability 1/4, an edge of two runs
// with 1/2.
TEST(LabelChance, is_the_probability_under_random_labels) {
  LabelChance labels(1, 4);
  EXPECT_DOUBLE_EQ(labels.of(1, 1), 0.25);
  EXPECT_DOUBLE_EQ(labels.of(1, 2), 0.5);
  EXPECT_DOUBLE_EQ(labels.of(0, 2), 1);
  EXPECT_NEAR(LabelChance(2, 4).of(2, 2), 1.0 / 6, 1e-12);
}

TEST(LabelChance, an_edge_of_more_runs_is_as_conclusive_only_if_more_of_them_fail) {
  LabelChance labels(2, 4);
  const double both = labels.of(2, 2);
  EXPECT_NEAR(labels.as_conclusive(2, both), both, 1e-12);
  EXPECT_EQ(labels.as_conclusive(1, both), 0);
  EXPECT_EQ(labels.as_conclusive(4, both), 0);
  EXPECT_NEAR(labels.as_conclusive(1, 0.5), 0.5, 1e-12);
}

TEST(LabelChance, depends_on_the_shares_if_there_are_many_runs) {
  LabelChance labels(500'000, 1'000'000);
  EXPECT_LT(labels.of(400'000, 500'000), 1e-9);
  EXPECT_NEAR(labels.of(250'000, 500'000), 0.5, 0.05);
}

}  // namespace
}  // namespace heddle::graph
