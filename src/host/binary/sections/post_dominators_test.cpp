#include "binary/sections/post_dominators.h"

#include <gtest/gtest.h>

namespace heddle::binary {
namespace {

using Joins = std::vector<std::uint32_t>;

TEST(PostDominators, both_paths_of_a_branch_meet) {
  EXPECT_EQ(joins_of({{1, 2}, {3}, {3}, {}}, {false, false, false, true}), (Joins{3, 3, 3, 4}));
}

TEST(PostDominators, a_loop_exits_at_its_condition) {
  EXPECT_EQ(joins_of({{1}, {2, 3}, {1}, {}}, {false, false, false, true}), (Joins{1, 3, 1, 4}));
}

TEST(PostDominators, two_returns_meet_at_the_end_of_the_function) {
  EXPECT_EQ(joins_of({{1, 2}, {}, {}}, {false, true, true}), (Joins{3, 3, 3}));
}

TEST(PostDominators, ignores_paths_that_do_not_return) {
  EXPECT_EQ(joins_of({{1, 2}, {}, {3}, {}}, {false, false, false, true}), (Joins{2, 4, 3, 4}));
}

TEST(PostDominators, an_endless_loop_has_no_join) { EXPECT_EQ(joins_of({{1}, {1}}, {false, false}), (Joins{2, 2})); }

}  // namespace
}  // namespace heddle::binary
