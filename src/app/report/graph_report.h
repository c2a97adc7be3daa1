#pragma once
#include "graph/collect.h"
#include "graph/monitor.h"
#include "graph/ranking/graph_stream.h"
#include "report/run_json.h"

namespace heddle::report {

Json collect_json(const graph::CollectReport& report);
std::string collect_text(const graph::CollectReport& report, const std::string& directory);

Json rank_json(const graph::RankReport& report, graph::Ranking ranking);
// The first `count` points.
std::string rank_text(const graph::RankReport& report, std::size_t count);

Json field_finding_json(const graph::FieldFinding& finding);
Json monitor_json(const graph::MonitorReport& report, const std::string& findings_path);

// The figures of a graph.
std::string graph_text(const graph::Graph& graph);
// The whole graph.
Json graph_json(const graph::Graph& graph);

}  // namespace heddle::report
