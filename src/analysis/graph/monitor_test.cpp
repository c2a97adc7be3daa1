#include "graph/monitor.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "graph/ranking/neighbourhood.h"
#include "graph/ranking/outlier_runs.h"
#include "graph/test_graphs.h"

namespace heddle::graph {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

// In ten tests, lines 1 and 2 always have the same edge, and lines 3 and 4 have a different one each time.
Graph tested_graph() {
  GraphUnion together(5);
  for (std::uint32_t i = 0; i < 10; ++i) {
    const Context each =
        context_of({static_cast<graph_rules::Event>(1 + i % 4), static_cast<graph_rules::Event>(1 + i / 4)});
    EXPECT_TRUE(together.add(test_graph({edge(1, 0, 2, 0), edge(3, each, 4, each)}), "t"));
  }
  return together.finish();
}

TEST(Monitor, reports_a_new_edge_at_a_point_that_always_did_the_same) {
  const Graph difference = test_graph({edge(1, context_of({kLcRd}), 2, 0), edge(3, 0, 4, 0)});
  const std::vector<FieldFinding> findings = find_novelties(difference, NoveltyModel(tested_graph()), kNoveltyDefault);
  ASSERT_EQ(findings.size(), 2u);
  EXPECT_EQ(findings[0].line, 1u);
  EXPECT_EQ(findings[1].line, 2u);
  EXPECT_DOUBLE_EQ(findings[0].novelty, 1);
}

TEST(Monitor, ignores_a_new_edge_at_a_point_that_differs_in_every_test) {
  EXPECT_THAT(find_novelties(test_graph({edge(3, 0, 4, 0)}), NoveltyModel(tested_graph()), kNoveltyDefault), IsEmpty());
}

TEST(Monitor, reports_code_that_no_test_reached) {
  const std::vector<FieldFinding> findings =
      find_novelties(test_graph({edge(7, 0, 8, 0)}), NoveltyModel(tested_graph()), 1);
  EXPECT_EQ(findings.size(), 2u);
}

TEST(OutlierRuns, finds_a_run_that_lacks_the_edges_of_all_others) {
  OutlierRuns runs;
  for (std::uint32_t i = 0; i < 10; ++i) {
    std::vector<RunEdge> edges;
    for (std::uint32_t line = 1; line < (i == 6 ? 10u : 40u); ++line) edges.push_back(edge(line, 0, line + 100, 0));
    edges.push_back(edge(200 + i, 0, 300, 0));  // an edge of this run only
    ASSERT_TRUE(runs.add(test_graph(edges), "g"));
  }
  const std::vector<bool> found = runs.find();
  for (std::uint32_t i = 0; i < 10; ++i) EXPECT_EQ(found[i], i == 6);
}

TEST(OutlierRuns, finds_none_among_equal_runs) {
  OutlierRuns runs;
  for (int i = 0; i < 6; ++i) ASSERT_TRUE(runs.add(test_graph({edge(1, 0, 2, 0)}), "g"));
  EXPECT_THAT(runs.find(), ElementsAre(false, false, false, false, false, false));
}

TEST(Neighbourhood, has_the_edges_of_a_line_and_marks_the_new_ones) {
  const Graph graph = test_graph({edge(1, 0, 2, 0), edge(2, 0, 3, 0), edge(4, 0, 5, 0)});
  const Graph difference = test_graph({edge(2, 0, 3, 0)});
  const Result<Neighbourhood> near = find_neighbourhood(graph, "test.cpp", 2, &difference);
  ASSERT_TRUE(near);
  ASSERT_EQ(near->links.size(), 2u);
  EXPECT_TRUE(near->links[0].is_new);
  EXPECT_FALSE(near->links[1].is_new);
  EXPECT_EQ(near->members.size(), 3u);
}

TEST(Neighbourhood, for_a_line_without_edges_names_the_nearest_line_with_edges) {
  const Result<Neighbourhood> near = find_neighbourhood(test_graph({edge(1, 0, 20, 0)}), "test.cpp", 12, nullptr);
  ASSERT_FALSE(near);
  EXPECT_THAT(near.error().message, HasSubstr("nearest line that does is 20"));
}

}  // namespace
}  // namespace heddle::graph
