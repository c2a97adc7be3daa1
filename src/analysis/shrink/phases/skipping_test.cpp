#include "shrink/phases/skipping.h"

#include <gtest/gtest.h>

namespace heddle::shrink {
namespace {

// A thread with three iterations of an outer loop. Each makes one call; the second call was already skipped.
//   order: 1 outer 1 begins, 2 call 1 begins, 3 ends, 4 outer 1 ends, 5 outer 2, 6 call 2 skipped, 7 outer 2 ends, ...
struct Nested {
  LoopOfThread outer{"0.1", "work.cpp:1 run", {}, {}, {}, 9, false};
  LoopOfThread call{"0.1", "call work.cpp:2 run -> log", {}, {{2, 6}}, {}, 4, true};
  experiment::Schedule schedule;

  Nested() {
    outer.iterations = {{1, {1, 4}, {1, 4}}, {2, {4, 6}, {5, 7}}, {3, {6, 10}, {8, 11}}};
    call.iterations = {{1, {2, 4}, {2, 3}}, {3, {7, 9}, {9, 10}}};
    schedule.threads = {"0", "0.1"};
    schedule.turns = {{1, 9, false, 1}};
    schedule.omitted.iterations = {{"0.1", "call work.cpp:2 run -> log", 2, 2},
                                   {"0.1", "call work.cpp:2 run -> log", 8, 9}};
  }
  std::vector<clip::IterationRange> without(const std::vector<std::uint32_t>& iterations) const {
    const std::vector<LoopOfThread> loops = {outer, call};
    return shrink::without(schedule, {{&loops[0], iterations}}, loops, {"0", "0.1"}).omitted.iterations;
  }
};

TEST(Skipping, renumbers_skipped_calls_after_a_newly_skipped_iteration) {
  const std::vector<clip::IterationRange> expected = {{"0.1", "call work.cpp:2 run -> log", 1, 1},
                                                      {"0.1", "call work.cpp:2 run -> log", 7, 8},
                                                      {"0.1", "work.cpp:1 run", 1, 1}};
  EXPECT_EQ(Nested().without({0}), expected);
}

TEST(Skipping, drops_skipped_calls_inside_a_newly_skipped_iteration) {
  const std::vector<clip::IterationRange> expected = {{"0.1", "call work.cpp:2 run -> log", 7, 8},
                                                      {"0.1", "work.cpp:1 run", 2, 2}};
  EXPECT_EQ(Nested().without({1}), expected);
}

TEST(Skipping, the_rest_is_all_that_the_run_did_not_reach) {
  const Nested nested;
  const std::vector<LoopOfThread> loops = {nested.outer, nested.call};
  const std::vector<Skipped> skipped = {{&loops[0], {2}, true}, {&loops[1], {}, true}};
  const std::uint32_t forever = ~std::uint32_t{0};
  // The third call is inside the skipped iteration, so the rest begins at number 2.
  const std::vector<clip::IterationRange> expected = {{"0.1", "call work.cpp:2 run -> log", 2, forever},
                                                      {"0.1", "work.cpp:1 run", 3, forever}};
  EXPECT_EQ(without(nested.schedule, skipped, loops, {"0", "0.1"}).omitted.iterations, expected);
}

TEST(Skipping, does_not_skip_inside_a_skipped_iteration) {
  const Nested nested;
  const std::vector<LoopOfThread> loops = {nested.outer, nested.call};
  const std::vector<Skipped> skipped =
      outermost_skipped(loops, [](const LoopOfThread&, const Iteration& one) { return one.number != 1; });
  ASSERT_EQ(skipped.size(), 1u);
  EXPECT_EQ(skipped[0].loop, &loops[0]);
  EXPECT_EQ(skipped[0].indices, (std::vector<std::uint32_t>{1, 2}));
}

TEST(Skipping, a_block_with_a_name_by_the_user_is_not_a_call) {
  EXPECT_TRUE(is_only_sliced("call work.cpp:2 run -> log"));
  EXPECT_TRUE(is_only_sliced("each work.cpp:2 run"));
  EXPECT_TRUE(is_only_sliced("call ? run -> log"));
  EXPECT_FALSE(is_only_sliced("work.cpp:2 run"));
  EXPECT_FALSE(is_only_sliced("each request"));
  EXPECT_FALSE(is_only_sliced("call"));
}

}  // namespace
}  // namespace heddle::shrink
