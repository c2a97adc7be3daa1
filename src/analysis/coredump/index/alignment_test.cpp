#include "binary/sections/regions.h"

#include <gtest/gtest.h>

#include "coredump/index/alignment.h"

namespace heddle::coredump {
namespace {

binary::FunctionRow function(std::vector<std::vector<std::uint32_t>> successors) {
  binary::FunctionRow row;
  row.name = "f";
  for (auto& next : successors) row.blocks.push_back({std::move(next), binary::kNoLoop, 0});
  return row;
}

// if (a || b) s; -- Figure 5b: s nests in the disjunction.
TEST(Regions, aggregates_a_disjunction) {
  const binary::FunctionRow row = function({{2, 1}, {2, 3}, {3}, {}});
  binary::Regions regions(row);
  const binary::Parent parent = binary::find_parent(regions, binary::kNoLoop, 2);
  EXPECT_EQ(parent.nesting, binary::Nesting::Aggregated);
  EXPECT_EQ(parent.branches, (std::vector<binary::Branch>{{0, 0}, {1, 0}}));
  EXPECT_EQ(parent.block, 0u);
}

TEST(Regions, a_single_branch_is_the_parent) {
  const binary::FunctionRow row = function({{1, 2}, {2}, {}});
  binary::Regions regions(row);
  const binary::Parent parent = binary::find_parent(regions, binary::kNoLoop, 1);
  EXPECT_EQ(parent.nesting, binary::Nesting::Single);
  EXPECT_EQ(parent.branches, (std::vector<binary::Branch>{{0, 0}}));
  EXPECT_EQ(binary::find_parent(regions, binary::kNoLoop, 2).nesting, binary::Nesting::Region);
}

// Figure 6: 21T leads to 22; 22T jumps to 26, 22F to 24 and 25; 25T comes to 26, too. 26's ancestor is 21T.
//   0 = 21, 1 = 22, 2 = 24/25, 3 = 26, 4 = 28, 5 = end; 1F may also leave by 4.
TEST(Regions, what_does_not_aggregate_has_the_closest_common_ancestor) {
  const binary::FunctionRow row = function({{1, 5}, {6, 2}, {7, 4}, {5}, {5}, {}, {3, 4}, {3}});
  binary::Regions regions(row);
  const binary::Parent parent = binary::find_parent(regions, binary::kNoLoop, 3);
  EXPECT_EQ(parent.nesting, binary::Nesting::Ancestor);
  EXPECT_EQ(parent.branches, (std::vector<binary::Branch>{{0, 0}}));
}

// guard(0) -> header(1) -> body(2) or latch(3); latch -> header or exit(4).
binary::FunctionRow rotated_loop() {
  binary::FunctionRow row = function({{1, 4}, {2, 3}, {3}, {1, 4}, {}});
  row.loops.push_back({1, binary::kNoLoop, 0});
  for (const std::uint32_t block : {1u, 2u, 3u}) row.blocks[block].loop = 0;
  return row;
}

TEST(Regions, a_block_of_a_rotated_loop_depends_on_its_own_iteration_only) {
  const binary::FunctionRow row = rotated_loop();
  binary::Regions regions(row);
  EXPECT_EQ(regions.dependences(0, 2), (std::vector<binary::Branch>{{1, 0}}));
  EXPECT_TRUE(regions.dependences(0, 3).empty());
  EXPECT_EQ(regions.dependences(binary::kNoLoop, 1), (std::vector<binary::Branch>{{0, 0}}));
  EXPECT_FALSE(regions.reaches(0, 3, 2));
  EXPECT_TRUE(regions.reaches(0, 1, 2));
}

FailureIndex index_of_third_iteration() {
  FailureIndex index;
  IndexEntry entry;
  entry.function = "f";
  index.entries.push_back(entry);
  entry.kind = IndexEntry::Kind::Branch;
  entry.branches = {{0, 0}};
  index.entries.push_back(entry);
  entry.kind = IndexEntry::Kind::Loop;
  entry.loop = 0;
  entry.count = 2;
  index.entries.push_back(entry);
  entry.kind = IndexEntry::Kind::Branch;
  entry.branches = {{1, 0}};
  index.entries.push_back(entry);
  entry.kind = IndexEntry::Kind::Statement;
  entry.point = 2;
  index.entries.push_back(entry);
  return index;
}

class Alignment : public ::testing::Test {
 protected:
  AlignedPoint align(const std::vector<std::uint32_t>& blocks, std::optional<std::uint64_t> point_count = {}) {
    const binary::BlockTable no_table;
    ControlFlow flow(no_table);
    FailureIndex index = index_of_third_iteration();
    index.point_count = point_count;
    Aligner aligner(index, flow);
    for (const std::uint32_t block : blocks) aligner.take(row_, block, 1000);
    aligner.finish();
    return aligner.aligned().value_or(AlignedPoint{});
  }

  const binary::FunctionRow row_ = rotated_loop();
};

TEST_F(Alignment, finds_the_iteration) {
  const AlignedPoint point = align({0, 1, 2, 3, 1, 3, 1, 2, 3, 1, 2, 3, 4});
  EXPECT_TRUE(point.exact);
  EXPECT_EQ(point.ordinal, 8u);
}

TEST_F(Alignment, another_branch_is_the_closest_point) {
  const AlignedPoint point = align({0, 1, 2, 3, 1, 3, 1, 3, 1, 2, 3, 4});
  EXPECT_FALSE(point.exact);
  EXPECT_EQ(point.ordinal, 8u);
  EXPECT_EQ(point.block, 1u);
}

TEST_F(Alignment, a_loop_that_ends_early_is_the_closest_point) {
  const AlignedPoint point = align({0, 1, 2, 3, 1, 2, 3, 4});
  EXPECT_FALSE(point.exact);
  EXPECT_EQ(point.ordinal, 8u);
  EXPECT_EQ(point.block, 3u);
}

TEST_F(Alignment, by_count_it_is_the_next_time_that_the_thread_comes_to_the_statement) {
  const AlignedPoint point = align({0, 1, 2, 3, 1, 3, 1, 2, 3, 1, 2, 3, 4}, 9);
  EXPECT_TRUE(point.exact);
  EXPECT_EQ(point.ordinal, 11u);
}

TEST_F(Alignment, by_count_a_thread_that_ends_early_comes_closest_with_its_last_point) {
  const AlignedPoint point = align({0, 1, 2, 3, 4}, 9);
  EXPECT_FALSE(point.exact);
  EXPECT_EQ(point.ordinal, 5u);
  EXPECT_EQ(point.block, 4u);
}

}  // namespace
}  // namespace heddle::coredump
