#include "graph/ranking/ranking.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "graph/ranking/outlier_runs.h"
#include "graph/test_graphs.h"

namespace heddle::graph {
namespace {

using ::testing::ElementsAre;

const Context kA = context_of({kLcRd}), kB = context_of({kLcWr}), kC = context_of({kRmRd}), kD = context_of({kRmWr});

std::vector<RankedPoint> rank(Ranking ranking, bool labelled, const std::vector<Graph>& graphs,
                              std::uint32_t context_size = 5) {
  const std::unique_ptr<Ranker> ranker = make_ranker({ranking, labelled, context_size});
  for (std::size_t i = 0; i < graphs.size(); ++i) EXPECT_TRUE(ranker->add(graphs[i], "g" + std::to_string(i)));
  return ranker->finish();
}

std::vector<std::uint32_t> lines_of(const std::vector<RankedPoint>& points) {
  std::vector<std::uint32_t> lines;
  for (const RankedPoint& point : points) lines.push_back(point.line);
  return lines;
}

double score_of(const std::vector<RankedPoint>& points, std::uint32_t line) {
  for (const RankedPoint& point : points)
    if (point.line == line) return point.score;
  ADD_FAILURE() << "no line " << line;
  return -1;
}

// By hand: line 1 has the empty context in all three runs and the context A in one: F(-) = 3, F(A) = 1, so
// (3/4 + 1/4) / 2. Line 2 has B in all runs: (3/3) / 1.
TEST(PaperRanking, is_the_mean_share_of_a_context) {
  const std::vector<Graph> graphs = {test_graph({edge(1, 0, 2, kB)}),
                                     test_graph({edge(1, 0, 2, kB), edge(1, kA, 2, kB)}),
                                     test_graph({edge(1, 0, 2, kB)})};
  const std::vector<RankedPoint> points = rank(Ranking::Paper, false, graphs);
  EXPECT_DOUBLE_EQ(score_of(points, 1), 0.5);
  EXPECT_DOUBLE_EQ(score_of(points, 2), 1);
  EXPECT_THAT(lines_of(points), ElementsAre(1, 2));
}

TEST(PaperRanking, one_more_rare_context_lowers_the_score) {
  std::vector<Graph> graphs(5, test_graph({edge(1, kA, 2, kB)}));
  const double before = score_of(rank(Ranking::Paper, false, graphs), 1);
  graphs[4] = test_graph({edge(1, kA, 2, kB), edge(1, kC, 2, kB)});
  EXPECT_LT(score_of(rank(Ranking::Paper, false, graphs), 1), before);
}

TEST(PaperRanking, without_its_common_contexts_a_point_scores_higher) {
  const std::vector<Graph> all(5, test_graph({edge(1, kA, 2, kB), edge(1, kC, 2, kB), edge(1, kD, 2, kB)}));
  const std::vector<Graph> rare_only(5, test_graph({edge(1, kD, 2, kB)}));
  EXPECT_GT(score_of(rank(Ranking::Paper, false, rare_only), 1), score_of(rank(Ranking::Paper, false, all), 1));
}

TEST(PaperRanking, the_printed_sum_is_one_for_every_point) {
  const std::vector<Graph> graphs = {test_graph({edge(1, kA, 2, kB), edge(3, kC, 2, kB)}),
                                     test_graph({edge(1, kD, 2, kB)})};
  for (const RankedPoint& point : rank(Ranking::PaperSum, false, graphs)) EXPECT_DOUBLE_EQ(point.score, 1);
}

TEST(PaperRanking, by_executions_divides_by_the_communications_of_the_point) {
  // Line 1: two contexts in one run each, 10 executions; line 2: one context in two runs, 10 executions.
  const std::vector<Graph> graphs = {test_graph({edge(1, kA, 2, kB, 4)}), test_graph({edge(1, kC, 2, kB, 6)})};
  const std::vector<RankedPoint> points = rank(Ranking::PaperExecutions, false, graphs);
  EXPECT_DOUBLE_EQ(score_of(points, 1), 0.2);
  EXPECT_DOUBLE_EQ(score_of(points, 2), 0.2);
}

TEST(PaperRanking, labelled_counts_only_edges_that_no_passing_run_has) {
  const std::vector<Graph> graphs = {test_graph({edge(1, 0, 2, 0)}),
                                     test_graph({edge(1, 0, 2, 0), edge(3, 0, 4, kA)}, Label::Failing),
                                     test_graph({edge(3, 0, 4, kB)}, Label::Failing)};
  const std::vector<RankedPoint> points = rank(Ranking::Paper, true, graphs);
  EXPECT_THAT(lines_of(points), ElementsAre(4, 3));
  EXPECT_DOUBLE_EQ(score_of(points, 4), 0.5);
}

TEST(PaperRanking, instructions_of_one_line_are_one_point) {
  Graph graph = test_graph({edge(1, kA, 3, 0), edge(2, kA, 3, 0)});
  graph.sites[1].line = 1;
  const std::vector<RankedPoint> points = rank(Ranking::Paper, false, {graph});
  EXPECT_THAT(lines_of(points), ElementsAre(1, 3));
}

TEST(PaperRanking, memory_is_not_a_code_point) {
  EXPECT_THAT(lines_of(rank(Ranking::Paper, false, {test_graph({edge(0, 0, 2, 0)})})), ElementsAre(2));
}

TEST(ContrastRanking, ranks_an_edge_of_all_failing_runs_before_an_edge_of_one) {
  const std::vector<Graph> graphs = {
      test_graph({edge(1, 0, 2, 0)}), test_graph({edge(1, 0, 2, 0)}),
      test_graph({edge(1, 0, 2, 0), edge(5, 0, 6, kA), edge(7, 0, 8, kA)}, Label::Failing),
      test_graph({edge(1, 0, 2, 0), edge(5, 0, 6, kA)}, Label::Failing)};
  const std::vector<std::uint32_t> lines = lines_of(rank(Ranking::Contrast, true, graphs));
  EXPECT_THAT(std::vector(lines.begin(), lines.begin() + 4), ElementsAre(6, 5, 8, 7));
}

TEST(ContrastRanking, recognises_one_cause_in_many_longer_contexts) {
  // The last event before line 6 is A in all failing runs; the event before it differs in each.
  const RunEdge replaced_5 = edge(8, 0, 5, 0), replaced_7 = edge(6, 0, 7, 0);
  const auto failing = [&](graph_rules::Event first) {
    return test_graph(
        {replaced_5, replaced_7, edge(5, 0, 6, context_of({first, kLcRd})), edge(7, 0, 8, context_of({first}))},
        Label::Failing);
  };
  const std::vector<Graph> graphs = {test_graph({replaced_5, replaced_7, edge(5, 0, 6, kB), edge(7, 0, 8, kA)}),
                                     failing(kLcRd), failing(kLcWr), failing(kRmRd)};
  const std::vector<RankedPoint> points = rank(Ranking::Contrast, true, graphs);
  EXPECT_LT(score_of(points, 6), score_of(points, 8));
}

TEST(ContrastRanking, ranks_the_earlier_of_two_edges_that_cannot_be_chance_first) {
  std::vector<Graph> graphs(12, test_graph({edge(1, 0, 2, 0)}));
  graphs.insert(graphs.end(), 12, test_graph({edge(8, 0, 9, 0, 1, 1), edge(3, 0, 4, 0, 1, 2)}, Label::Failing));
  const std::vector<std::uint32_t> lines = lines_of(rank(Ranking::Contrast, true, graphs));
  EXPECT_THAT(std::vector(lines.begin(), lines.begin() + 4), ElementsAre(9, 8, 4, 3));
}

TEST(ContrastRanking, ranks_the_later_of_two_edges_that_may_be_chance_first) {
  std::vector<Graph> graphs(4, test_graph({edge(1, 0, 2, 0)}));
  graphs.push_back(test_graph({edge(8, 0, 9, 0, 1, 1), edge(3, 0, 4, 0, 1, 2)}, Label::Failing));
  const std::vector<std::uint32_t> lines = lines_of(rank(Ranking::Contrast, true, graphs));
  EXPECT_THAT(std::vector(lines.begin(), lines.begin() + 4), ElementsAre(4, 3, 9, 8));
}

TEST(ContrastRanking, ignores_the_context_in_which_a_first_value_is_met) {
  std::vector<Graph> graphs;
  for (int i = 0; i < 4; ++i) {
    graphs.push_back(
        test_graph({edge(1, 0, 2, kA), edge(5, 0, 2, kA), edge(2, 0, 5, kA), edge(3, 0, 4, kA), edge(4, 0, 3, 0)}));
    graphs.push_back(
        test_graph({edge(1, 0, 2, kB), edge(5, 0, 2, kA), edge(2, 0, 5, kA), edge(3, 0, 4, kB), edge(4, 0, 3, 0)},
                   Label::Failing));
  }
  const std::vector<RankedPoint> points = rank(Ranking::Contrast, true, graphs);
  EXPECT_LT(score_of(points, 4), score_of(points, 2));
}

TEST(ContrastRanking, ranks_a_write_at_the_wrong_moment_before_the_access_that_meets_it) {
  // Line 5 replaces what line 6 wrote, so it does not give first values.
  const RunEdge usual = edge(6, 0, 5, 0);
  const std::vector<Graph> graphs = {test_graph({usual}), test_graph({usual, edge(5, 0, 8, 0)}, Label::Failing)};
  const std::vector<RankedPoint> points = rank(Ranking::Contrast, true, graphs);
  EXPECT_LT(score_of(points, 5), score_of(points, 8));
}

TEST(ContrastRanking, does_not_blame_a_reader_of_first_values_for_its_context) {
  const RunEdge replaced = edge(4, 0, 3, 0);
  std::vector<Graph> graphs;
  for (int i = 0; i < 4; ++i) {
    graphs.push_back(test_graph({replaced, edge(1, 0, 2, kA), edge(3, 0, 4, kA)}));
    graphs.push_back(test_graph({replaced, edge(1, 0, 2, kB), edge(3, 0, 4, kB)}, Label::Failing));
  }
  const std::vector<RankedPoint> points = rank(Ranking::Contrast, true, graphs);
  EXPECT_LT(score_of(points, 4), score_of(points, 2));
}

TEST(ContrastRanking, ranks_a_rare_edge_at_a_steady_point_before_one_at_a_point_that_always_differs) {
  std::vector<Graph> graphs;
  for (std::uint32_t i = 0; i < 8; ++i) {
    const Context other_each_time = i + 1;
    std::vector<RunEdge> edges = {edge(1, 0, 2, 0), edge(2, 0, 1, 0), edge(51, 0, 50, other_each_time),
                                  edge(50, 0, 51, 0)};
    if (i == 3) edges.push_back(edge(2, 0, 1, kA));
    graphs.push_back(test_graph(edges, i == 3 ? Label::Failing : Label::Passing));
  }
  const std::vector<RankedPoint> points = rank(Ranking::Contrast, true, graphs);
  EXPECT_LT(score_of(points, 2), score_of(points, 50));
}

std::vector<bool> outliers_of(const std::vector<Graph>& graphs) {
  OutlierRuns runs;
  for (const Graph& graph : graphs) EXPECT_TRUE(runs.add(graph, "g"));
  return runs.find();
}

// A chain of `edges` edges from line 1 on, and an edge that no other run has.
Graph run_of(std::uint32_t edges, std::uint32_t number) {
  std::vector<RunEdge> all = {edge(1000 + number, 0, 1, 0)};
  for (std::uint32_t line = 1; line <= edges; ++line) all.push_back(edge(line, 0, line + 1, 0));
  return test_graph(all);
}

TEST(OutlierRuns, are_runs_that_lack_far_more_edges_than_others) {
  EXPECT_THAT(outliers_of({run_of(40, 1), run_of(20, 2), run_of(40, 3), run_of(40, 4), run_of(10, 5)}),
              ElementsAre(false, true, false, false, true));
}

TEST(OutlierRuns, may_be_more_than_half_of_all) {
  EXPECT_THAT(outliers_of({run_of(9, 1), run_of(40, 2), run_of(9, 3), run_of(40, 4), run_of(9, 5), run_of(40, 6),
                           run_of(9, 7)}),
              ElementsAre(true, false, true, false, true, false, true));
}

TEST(OutlierRuns, are_none_if_all_runs_are_similar) {
  EXPECT_THAT(outliers_of({run_of(40, 1), run_of(39, 2), run_of(40, 3), run_of(39, 4)}),
              ElementsAre(false, false, false, false));
}

TEST(ContrastRanking, unlabelled_ranks_a_rare_edge_at_a_steady_point_first) {
  std::vector<Graph> graphs;
  for (std::uint32_t i = 0; i < 8; ++i) {
    std::vector<RunEdge> edges = {edge(1, 0, 2, 0), edge(100 + i, 0, 50, 0)};  // line 50 is different every time
    if (i == 3) edges.push_back(edge(1, 0, 2, kA));
    graphs.push_back(test_graph(edges));
  }
  const std::vector<RankedPoint> points = rank(Ranking::Contrast, false, graphs);
  EXPECT_LT(score_of(points, 2), score_of(points, 50));
}

}  // namespace
}  // namespace heddle::graph
