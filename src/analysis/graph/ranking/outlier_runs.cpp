#include "graph/ranking/outlier_runs.h"

#include <algorithm>

#include "graph/heuristics.h"

namespace heddle::graph {

Status OutlierRuns::add(const Graph& graph, const std::string& name) {
  if (Status admitted = space_.admit(graph, name); !admitted) return admitted;
  std::vector<std::uint32_t> points;
  for (const CodeSite& site : graph.sites) points.push_back(points_.number(site));
  std::vector<std::uint32_t> point_of_node;
  for (const Node& node : graph.nodes) point_of_node.push_back(points[node.site]);
  std::vector<std::uint32_t>& own = edges_of_runs_.emplace_back();
  const auto run = static_cast<std::uint32_t>(edges_of_runs_.size());
  for_each_numbered_edge(graph, point_of_node, edges_, [&](const Edge&, std::uint32_t number) {
    if (number == presences_.size()) presences_.emplace_back();
    Presence& presence = presences_[number];
    if (presence.last_run == run) return;  // another context, or another instruction of the line
    presence.last_run = run;
    ++presence.runs;
    own.push_back(number);
  });
  return ok_status();
}

std::vector<double> OutlierRuns::missing_presences() const {
  double all = 0;
  for (const Presence& presence : presences_) all += presence.runs;
  std::vector<double> missing;
  for (const std::vector<std::uint32_t>& own : edges_of_runs_) {
    double present = 0;
    for (const std::uint32_t edge : own) present += presences_[edge].runs;
    missing.push_back(1 + all - present);
  }
  return missing;
}

std::vector<bool> OutlierRuns::find() const {
  const std::vector<double> values = missing_presences();
  std::vector<double> sorted = values;
  std::sort(sorted.begin(), sorted.end());
  std::vector<bool> outliers(values.size());
  for (std::size_t regular = std::max(kRegularRunsMin, sorted.size() / kRegularShare); regular < sorted.size();
       ++regular) {
    if (sorted[regular] <= kOutlierFactor * sorted[regular - 1]) continue;
    for (std::size_t i = 0; i < values.size(); ++i) outliers[i] = values[i] >= sorted[regular];
    break;
  }
  return outliers;
}

}  // namespace heddle::graph
