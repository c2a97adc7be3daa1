#include "graph/ranking.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

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

// By hand: line 1 has the contexts - and A, each in two of the three runs or one of them; F(-) = 3, F(A) = 1, so
// (3/4 + 1/4) / 2. Line 2 has B in all runs: 3/3 / 1.
TEST(PaperRanking, is_the_mean_share_of_a_context) {
  const std::vector<Graph> graphs = {test_graph({edge(1, 0, 2, kB)}), test_graph({edge(1, 0, 2, kB), edge(1, kA, 2, kB)}),
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
  const std::vector<Graph> graphs = {test_graph({edge(1, kA, 2, kB), edge(3, kC, 2, kB)}), test_graph({edge(1, kD, 2, kB)})};
  for (const RankedPoint& point : rank(Ranking::PaperSum, false, graphs)) EXPECT_DOUBLE_EQ(point.score, 1);
}

TEST(PaperRanking, by_executions_what_is_seen_seldom_beside_often_comes_first) {
  // Line 1: two contexts in one run each, 10 executions; line 2: one context in two runs, 10 executions.
  const std::vector<Graph> graphs = {test_graph({edge(1, kA, 2, kB, 4)}), test_graph({edge(1, kC, 2, kB, 6)})};
  const std::vector<RankedPoint> points = rank(Ranking::PaperExecutions, false, graphs);
  EXPECT_DOUBLE_EQ(score_of(points, 1), 0.2);
  EXPECT_DOUBLE_EQ(score_of(points, 2), 0.2);
}

TEST(PaperRanking, labelled_counts_only_what_no_passing_run_has) {
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

TEST(PaperRanking, memory_is_no_code_point) {
  EXPECT_THAT(lines_of(rank(Ranking::Paper, false, {test_graph({edge(0, 0, 2, 0)})})), ElementsAre(2));
}

TEST(ContrastRanking, what_all_failing_runs_share_comes_before_what_one_of_them_has) {
  const std::vector<Graph> graphs = {
      test_graph({edge(1, 0, 2, 0)}), test_graph({edge(1, 0, 2, 0)}),
      test_graph({edge(1, 0, 2, 0), edge(5, 0, 6, kA), edge(7, 0, 8, kA)}, Label::Failing),
      test_graph({edge(1, 0, 2, 0), edge(5, 0, 6, kA)}, Label::Failing)};
  const std::vector<std::uint32_t> lines = lines_of(rank(Ranking::Contrast, true, graphs));
  EXPECT_THAT(std::vector(lines.begin(), lines.begin() + 4), ElementsAre(6, 5, 8, 7));
}

TEST(ContrastRanking, sees_one_cause_in_many_longer_contexts) {
  // The last event before line 6 is A in all failing runs; what was before it differs each time.
  const auto failing = [](communication::Event first) {
    return test_graph({edge(5, 0, 6, context_of({first, kLcRd})), edge(7, 0, 8, context_of({first}))}, Label::Failing);
  };
  const std::vector<Graph> graphs = {test_graph({edge(5, 0, 6, kB), edge(7, 0, 8, kA)}), failing(kLcRd), failing(kLcWr),
                                     failing(kRmRd)};
  const std::vector<RankedPoint> points = rank(Ranking::Contrast, true, graphs);
  EXPECT_LT(score_of(points, 6), score_of(points, 8));
}

TEST(ContrastRanking, the_earlier_of_two_equals_comes_first) {
  const std::vector<Graph> graphs = {test_graph({edge(1, 0, 2, 0)}),
                                     test_graph({edge(8, 0, 9, 0, 1, 1), edge(3, 0, 4, 0, 1, 2)}, Label::Failing)};
  EXPECT_THAT(lines_of(rank(Ranking::Contrast, true, graphs)), ElementsAre(9, 8, 4, 3));
}

TEST(ContrastRanking, unlabelled_a_rare_thing_at_a_steady_point_comes_first) {
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
