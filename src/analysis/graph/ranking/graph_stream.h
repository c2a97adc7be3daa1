#pragma once
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "graph/graph.h"
#include "graph/ranking/ranking.h"
#include "support/result.h"

namespace heddle::graph {

// The graph files that are meant by files and folders, in the order of their names.
Result<std::vector<std::string>> find_graphs(const std::vector<std::string>& paths);

// Reads them in order, some ahead on the other processors; stops at the first error.
Status for_each_graph(const std::vector<std::string>& files,
                      const std::function<Status(Graph& graph, const std::string& file)>& visit);

struct RankReport {
  std::vector<RankedPoint> points;
  bool labelled = false;
  std::uint64_t suspected_runs = 0;  // without labels: those that seem to have gone wrong
  std::uint64_t passing_runs = 0, failing_runs = 0, unlabelled_runs = 0;
};

// `labelled`: nothing said means that it is if there are graphs of both kinds.
Result<RankReport> rank_files(const std::vector<std::string>& files, RankOptions options, std::optional<bool> labelled);

}  // namespace heddle::graph
