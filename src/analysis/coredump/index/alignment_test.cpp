#include "coredump/index/alignment.h"

#include <gtest/gtest.h>

#include "binary/sections/regions.h"

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

// Figure 6: 21T leads to 22; 22T jumps to 26, 22F to 24 and 25; 25T leads to 26, too. 26's ancestor is 21T.
//   0 = 21, 1 = 22, 2 = 24/25, 3 = 26, 4 = 28, 5 = end; 1F may also leave by 4.
TEST(Regions, branches_that_do_not_aggregate_have_their_closest_common_ancestor) {
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

TEST_F(Alignment, the_closest_point_is_where_another_branch_is_taken) {
  const AlignedPoint point = align({0, 1, 2, 3, 1, 3, 1, 3, 1, 2, 3, 4});
  EXPECT_FALSE(point.exact);
  EXPECT_EQ(point.ordinal, 8u);
  EXPECT_EQ(point.block, 1u);
}

TEST_F(Alignment, the_closest_point_is_where_a_loop_ends_early) {
  const AlignedPoint point = align({0, 1, 2, 3, 1, 2, 3, 4});
  EXPECT_FALSE(point.exact);
  EXPECT_EQ(point.ordinal, 8u);
  EXPECT_EQ(point.block, 3u);
}

TEST_F(Alignment, by_count_aligns_at_the_next_visit_of_the_statement) {
  const AlignedPoint point = align({0, 1, 2, 3, 1, 3, 1, 2, 3, 1, 2, 3, 4}, 9);
  EXPECT_TRUE(point.exact);
  EXPECT_EQ(point.ordinal, 11u);
}

TEST_F(Alignment, by_count_the_last_point_of_a_short_thread_is_the_closest) {
  const AlignedPoint point = align({0, 1, 2, 3, 4}, 9);
  EXPECT_FALSE(point.exact);
  EXPECT_EQ(point.ordinal, 5u);
  EXPECT_EQ(point.block, 4u);
}

// main calls f, or g before it; f calls itself. Each is one block with calls.
class CallAlignment : public ::testing::Test {
 protected:
  static binary::FunctionRow calling(const char* name, std::size_t calls) {
    binary::FunctionRow row = function({{}});
    row.name = name;
    row.calls.resize(calls);
    return row;
  }
  static IndexEntry entered(const char* name, bool has_call, std::uint32_t point) {
    IndexEntry entry;
    entry.function = name;
    entry.has_call = has_call;
    entry.point = point;
    return entry;
  }
  static IndexEntry statement(const char* name, std::uint32_t point) {
    IndexEntry entry = entered(name, false, point);
    entry.kind = IndexEntry::Kind::Statement;
    return entry;
  }
  void expect_index(std::vector<IndexEntry> entries) {
    index_.entries = std::move(entries);
    aligner_.emplace(index_, flow_);
  }

  // Points of these rows: 0 the block, from 1 on the calls.
  const binary::FunctionRow main_ = calling("main", 2), f_ = calling("f", 1), g_ = calling("g", 0);
  const binary::BlockTable no_table_;
  ControlFlow flow_{no_table_};
  FailureIndex index_;
  std::optional<Aligner> aligner_;
};

TEST_F(CallAlignment, follows_the_calls_of_the_index) {
  expect_index({entered("main", false, 0), entered("f", true, 2), statement("f", 0)});
  aligner_->take(main_, 0, 1000);
  aligner_->take(main_, 1, 1000);
  aligner_->take(f_, 0, 900);
  EXPECT_FALSE(aligner_->is_aligned());  // this is the other call
  aligner_->take(main_, 2, 1000);
  aligner_->take(f_, 0, 900);
  ASSERT_TRUE(aligner_->is_aligned());
  EXPECT_TRUE(aligner_->aligned()->exact);
  EXPECT_EQ(aligner_->aligned()->ordinal, 5u);
}

TEST_F(CallAlignment, the_closest_point_is_where_a_call_leads_elsewhere) {
  expect_index({entered("main", false, 0), entered("f", true, 1), statement("f", 0)});
  aligner_->take(main_, 0, 1000);
  aligner_->take(main_, 1, 1000);
  aligner_->take(g_, 0, 900);
  EXPECT_FALSE(aligner_->is_aligned());
  aligner_->take(main_, 2, 1000);
  ASSERT_TRUE(aligner_->is_aligned());
  EXPECT_FALSE(aligner_->aligned()->exact);
  EXPECT_EQ(aligner_->aligned()->matched, 1u);
  EXPECT_EQ(aligner_->aligned()->ordinal, 4u);
  EXPECT_EQ(aligner_->aligned()->function, "main");
}

TEST_F(CallAlignment, counts_levels_of_recursion) {
  expect_index({entered("f", false, 0), entered("f", true, 1), entered("f", true, 1), statement("f", 1)});
  for (const std::uint64_t base : {1000u, 900u, 800u}) {
    EXPECT_FALSE(aligner_->is_aligned());
    aligner_->take(f_, 0, base);
    aligner_->take(f_, 1, base);
  }
  ASSERT_TRUE(aligner_->is_aligned());
  EXPECT_TRUE(aligner_->aligned()->exact);
  EXPECT_EQ(aligner_->aligned()->ordinal, 6u);
}

TEST_F(CallAlignment, the_closest_point_is_where_a_recursion_returns_early) {
  expect_index({entered("f", false, 0), entered("f", true, 1), entered("f", true, 1), statement("f", 1)});
  aligner_->take(f_, 0, 1000);
  aligner_->take(f_, 1, 1000);
  aligner_->take(f_, 0, 900);
  aligner_->take(g_, 0, 1100);  // both have returned
  ASSERT_TRUE(aligner_->is_aligned());
  EXPECT_FALSE(aligner_->aligned()->exact);
  EXPECT_EQ(aligner_->aligned()->matched, 2u);
}

TEST_F(CallAlignment, drops_frames_that_an_exception_has_left) {
  expect_index({entered("main", false, 0), entered("f", true, 2), statement("f", 0)});
  aligner_->take(main_, 0, 1000);
  aligner_->take(main_, 1, 1000);
  aligner_->take(g_, 0, 900);
  aligner_->take(g_, 0, 800);
  aligner_->take(main_, 2, 1000);
  aligner_->take(f_, 0, 850);
  ASSERT_TRUE(aligner_->is_aligned());
  EXPECT_TRUE(aligner_->aligned()->exact);
}

TEST_F(CallAlignment, distinguishes_functions_of_one_name_by_their_source) {
  expect_index({entered("f", false, 0), statement("f", 0)});
  binary::FunctionRow other = f_;
  other.source = "other.cpp";
  aligner_->take(other, 0, 1000);
  aligner_->finish();
  EXPECT_FALSE(aligner_->is_aligned());
  EXPECT_EQ(aligner_->matched(), 0u);
}

TEST_F(CallAlignment, counts_points_of_functions_without_a_row) {
  expect_index({entered("f", false, 0), statement("f", 0)});
  aligner_->skip();
  aligner_->skip();
  aligner_->take(f_, 0, 1000);
  EXPECT_EQ(aligner_->aligned()->ordinal, 3u);
}

TEST_F(CallAlignment, ignores_points_outside_the_function) {
  expect_index({entered("f", false, 0), statement("f", 0)});
  aligner_->take(f_, 99, 1000);
  EXPECT_FALSE(aligner_->is_aligned());
}

}  // namespace
}  // namespace heddle::coredump
