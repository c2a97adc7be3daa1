#pragma once
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "graph/ranking/ranking.h"

namespace heddle::graph {

// Replaces each directory among `paths` by the graph files in it, ordered by name.
Result<std::vector<std::string>> find_graphs(const std::vector<std::string>& paths);

// Visits the graphs in order. Reads ahead on the other processors; stops at the first error.
Status for_each_graph(const std::vector<std::string>& files,
                      const std::function<Status(Graph& graph, const std::string& file)>& visit);

struct RankReport {
  std::vector<RankedPoint> points;
  bool labelled = false;
  std::uint64_t suspected_runs = 0;  // unlabelled: outliers
  std::uint64_t passing_runs = 0, failing_runs = 0, unlabelled_runs = 0;
};

// `labelled`: by default true if there are passing and failing graphs, and none without a label.
Result<RankReport> rank_files(const std::vector<std::string>& files, RankOptions options, std::optional<bool> labelled);

}  // namespace heddle::graph
