#include "graph/store/graph_union.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "graph/test_graphs.h"

namespace heddle::graph {
namespace {

using ::testing::HasSubstr;

TEST(GraphUnion, counts_the_runs_of_each_edge_and_node) {
  GraphUnion together(5);
  ASSERT_TRUE(together.add(test_graph({edge(1, 0, 2, 0, 3), edge(1, 0, 3, 0)}), "a"));
  ASSERT_TRUE(together.add(test_graph({edge(1, 0, 2, 0, 4)}), "b"));
  const Graph graph = together.finish();
  EXPECT_EQ(graph.origin.runs, 2u);
  ASSERT_EQ(graph.nodes.size(), 3u);
  EXPECT_EQ(graph.nodes[0], (Node{0, 0, 2}));
  EXPECT_EQ(graph.nodes[2], (Node{2, 0, 1}));
  ASSERT_EQ(graph.edges.size(), 2u);
  EXPECT_EQ(graph.edges[0], (Edge{0, 1, 7, 2, 0}));
  EXPECT_EQ(graph.edges[1], (Edge{0, 2, 1, 1, 0}));
}

TEST(GraphUnion, a_union_of_unions_counts_all_runs) {
  GraphUnion first(5);
  ASSERT_TRUE(first.add(test_graph({edge(1, 0, 2, 0)}), "a"));
  ASSERT_TRUE(first.add(test_graph({edge(1, 0, 2, 0)}), "b"));
  GraphUnion second(5);
  ASSERT_TRUE(second.add(first.finish(), "ab"));
  ASSERT_TRUE(second.add(test_graph({edge(1, 0, 2, 0)}), "c"));
  EXPECT_EQ(second.finish().origin.runs, 3u);
  EXPECT_EQ(second.finish().edges[0].runs, 3u);
}

TEST(GraphUnion, cutting_contexts_gives_the_graph_of_a_smaller_context_size) {
  std::vector<trace::Event> events;
  for (std::uint32_t i = 0; i < 60; ++i)
    events.push_back(access(i * 5 % 3, 1 + i % 7, 0x1000 + i * 11 % 4 * 8, i % 4 < 2));
  for (std::uint32_t size = 0; size <= 5; ++size) {
    SoftwareModel large(test_config(5)), small(test_config(size));
    for (const trace::Event& event : events) {
      large.add(event);
      small.add(event);
    }
    GraphUnion cut(size), collected(size);
    ASSERT_TRUE(cut.add(test_graph(large.edges()), "large"));
    ASSERT_TRUE(collected.add(test_graph(small.edges()), "small"));
    EXPECT_EQ(cut.finish().nodes, collected.finish().nodes);
    EXPECT_EQ(cut.finish().edges, collected.finish().edges);
  }
}

TEST(GraphUnion, a_difference_has_only_new_edges) {
  GraphUnion known(5);
  ASSERT_TRUE(known.add(test_graph({edge(1, 0, 2, 0)}), "a"));
  const Result<Graph> left = known.subtract_from(test_graph({edge(1, 0, 2, 0), edge(1, 0, 3, 0)}), "b");
  ASSERT_TRUE(left);
  EXPECT_EQ(*left, test_graph({edge(1, 0, 3, 0)}));
}

TEST(GraphUnion, the_same_instruction_in_another_context_is_new) {
  GraphUnion known(5);
  ASSERT_TRUE(known.add(test_graph({edge(1, 0, 2, 0)}), "a"));
  const Graph other = test_graph({edge(1, 0, 2, context_of({kLcRd}))});
  const Result<Graph> left = known.subtract_from(other, "b");
  ASSERT_TRUE(left);
  EXPECT_EQ(*left, other);
}

TEST(GraphUnion, refuses_a_graph_of_another_build) {
  GraphUnion together(5);
  ASSERT_TRUE(together.add(test_graph({edge(1, 0, 2, 0)}), "a"));
  Graph other = test_graph({edge(1, 0, 2, 0)});
  other.origin.builds[0].id = "ef01";
  const Status added = together.add(other, "b");
  ASSERT_FALSE(added);
  EXPECT_THAT(added.error().message, HasSubstr("b and a are of different builds of /bin/test"));
}

TEST(GraphUnion, refuses_a_graph_collected_by_another_method) {
  GraphUnion together(5);
  ASSERT_TRUE(together.add(test_graph({edge(1, 0, 2, 0)}), "a"));
  Graph other = test_graph({edge(1, 0, 2, 0)});
  other.origin.granule_bytes = 64;
  const Status added = together.add(other, "b");
  ASSERT_FALSE(added);
  EXPECT_THAT(added.error().message, HasSubstr("--granularity line"));
}

TEST(GraphUnion, refuses_contexts_that_are_shorter_than_wanted) {
  GraphUnion together(8);
  const Status added = together.add(test_graph({edge(1, 0, 2, 0)}), "a");
  ASSERT_FALSE(added);
  EXPECT_THAT(added.error().message, HasSubstr("take a smaller --context"));
}

}  // namespace
}  // namespace heddle::graph
