#include "cli/collected_ranking.h"

#include "graph/ranking/graph_stream.h"
#include "graph/store/graph_file.h"

namespace heddle::cli {

Result<std::vector<graph::RankedPoint>> rank_collected(const std::vector<std::string>& paths) {
  if (paths.empty()) return std::vector<graph::RankedPoint>{};
  const Result<std::vector<std::string>> files = graph::find_graphs(paths);
  if (!files) return files.error();
  const Result<graph::Graph> first = graph::read_graph(files->front());
  if (!first) return first.error();
  graph::RankOptions options;
  options.context_size = first->origin.context_size;
  Result<graph::RankReport> report = graph::rank_files(*files, options, std::nullopt);
  if (!report) return report.error();
  return std::move(report->points);
}

}  // namespace heddle::cli
