#include "report/graph_report.h"

#include <fmt/format.h>

#include "report/graph_drawing.h"
#include "report/run_text.h"
#include "support/counted.h"

namespace heddle::report {
Json collect_json(const graph::CollectReport& report) {
  Json json = {{"runs", report.runs},
               {"failing_runs", report.failing_runs},
               {"graphs", report.kept_passing + report.kept_failing},
               {"failing_graphs", report.kept_failing},
               {"nodes", report.nodes},
               {"edges", report.edges},
               {"largest_file_bytes", report.largest_file_bytes},
               {"dropped_edges", report.dropped},
               {"seconds", report.seconds},
               {"interrupted", report.interrupted}};
  const graph::HardwareCounters& hardware = report.hardware;
  if (hardware.operations != 0) {
    json["hardware"] = {{"operations", hardware.operations},
                        {"read_misses", hardware.read_misses},
                        {"write_misses", hardware.write_misses},
                        {"coherence_misses", hardware.coherence_misses},
                        {"metadata_writes", hardware.metadata_writes},
                        {"table_writes", hardware.table_writes},
                        {"traps", hardware.traps},
                        {"discarded_edges", hardware.discarded}};
  }
  return json;
}

std::string collect_text(const graph::CollectReport& report, const std::string& directory) {
  std::string text = fmt::format("{}, {} failed; {} and {} in {} in {}, at most {} each\n", counted(report.runs, "run"),
                                 report.failing_runs, counted(report.nodes, "node"), counted(report.edges, "edge"),
                                 counted(report.kept_passing + report.kept_failing, "graph"), directory,
                                 counted(report.largest_file_bytes, "byte"));
  if (report.dropped != 0)
    text += counted(report.dropped, "edge") + " lost, because threads collided or the table was full\n";
  return text + "rank the code with: " + command_text({"heddle", "graph", "rank", directory}) + "\n";
}

Json rank_json(const graph::RankReport& report, graph::Ranking ranking) {
  Json points = Json::array();
  std::size_t rank = 0;
  for (const graph::RankedPoint& point : report.points) {
    points.push_back({{"file", point.file},
                      {"line", point.line},
                      {"function", point.function},
                      {"rank", ++rank},
                      {"score", point.score}});
  }
  return {{"ranking", graph::ranking_word(ranking)},
          {"labelled", report.labelled},
          {"runs", report.passing_runs + report.failing_runs + report.unlabelled_runs},
          {"failing_runs", report.failing_runs},
          {"suspected_runs", report.suspected_runs},
          {"code_points", std::move(points)}};
}

std::string rank_text(const graph::RankReport& report, std::size_t count) {
  std::string text;
  std::size_t rank = 0;
  for (const graph::RankedPoint& point : report.points) {
    if (rank == count) break;
    text += fmt::format("{:>4}  {:<12.6g}  {}:{}{}\n", ++rank, point.score, point.file, point.line,
                        point.function.empty() ? "" : " in " + point.function);
  }
  const std::string runs =
      report.labelled ? fmt::format("{} compared with {}", counted(report.failing_runs, "failing run"),
                                    counted(report.passing_runs, "passing run"))
                      : fmt::format("{}, without labels; {} suspected",
                                    counted(report.passing_runs + report.failing_runs + report.unlabelled_runs, "run"),
                                    report.suspected_runs);
  return text + fmt::format("{} of {}; {}\n", rank, counted(report.points.size(), "code point"), runs);
}

Json field_finding_json(const graph::FieldFinding& finding) {
  return {{"file", finding.file},       {"line", finding.line},           {"function", finding.function},
          {"novelty", finding.novelty}, {"new_edges", finding.new_edges}, {"at_exit", finding.at_exit}};
}

Json monitor_json(const graph::MonitorReport& report, const std::string& findings_path) {
  Json findings = Json::array();
  for (const graph::FieldFinding& finding : report.findings) findings.push_back(field_finding_json(finding));
  return {{"outcome", report.outcome},
          {"new_edges", report.new_edges},
          {"looks", report.looks},
          {"findings_file", findings_path},
          {"findings", std::move(findings)}};
}

std::string graph_text(const graph::Graph& graph) {
  const graph::Origin& origin = graph.origin;
  return fmt::format("{}: {}, {}{}\n{}, {} with contexts of {}, {}; granules of {}{}\n", origin.program,
                     origin.model == graph::Model::Hardware ? "hardware model" : "every access",
                     counted(origin.runs, "run"), origin.outcome.empty() ? "" : ", outcome " + origin.outcome,
                     counted(graph.sites.size(), "site"), counted(graph.nodes.size(), "node"),
                     counted(origin.context_size, "event"), counted(graph.edges.size(), "edge"),
                     counted(origin.granule_bytes, "byte"),
                     origin.dropped == 0 ? "" : "; " + counted(origin.dropped, "edge") + " lost");
}

Json graph_json(const graph::Graph& graph) {
  Json sites = Json::array();
  for (const graph::CodeSite& site : graph.sites)
    sites.push_back({{"file", site.file}, {"line", site.line}, {"function", site.function}});
  Json nodes = Json::array();
  for (const graph::Node& node : graph.nodes)
    nodes.push_back({{"site", node.site}, {"context", context_text(node.context)}, {"runs", node.runs}});
  Json edges = Json::array();
  for (const graph::Edge& edge : graph.edges)
    edges.push_back({{"source", edge.source},
                     {"sink", edge.sink},
                     {"count", edge.count},
                     {"runs", edge.runs},
                     {"order", edge.order}});
  const graph::Origin& origin = graph.origin;
  return {{"program", origin.program},
          {"model", origin.model == graph::Model::Hardware ? "hw" : "sw"},
          {"granule_bytes", origin.granule_bytes},
          {"context_size", origin.context_size},
          {"label", origin.label == graph::Label::None      ? Json(nullptr)
                    : origin.label == graph::Label::Failing ? Json("failing")
                                                            : Json("passing")},
          {"outcome", origin.outcome},
          {"runs", origin.runs},
          {"dropped_edges", origin.dropped},
          {"sites", std::move(sites)},
          {"nodes", std::move(nodes)},
          {"edges", std::move(edges)}};
}

}  // namespace heddle::report
