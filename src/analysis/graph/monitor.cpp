#include "graph/monitor.h"

#include <algorithm>
#include <optional>
#include <set>
#include <tuple>

#include "binary/program_file.h"
#include "experiment/trial_runner.h"
#include "graph/model/run_sites.h"
#include "run/interrupt.h"

namespace heddle::graph {
namespace {

using Clock = std::chrono::steady_clock;

// Compares the table of edges with the tested graph at intervals, while the program writes it.
class FieldWatcher final : public run::SessionWatcher {
 public:
  FieldWatcher(const MonitorOptions& options, const binary::ProgramFile& program, MonitorReport& report,
               const std::function<void(const FieldFinding&)>& report_finding)
      : options_(options),
        program_(program),
        report_(report),
        report_finding_(report_finding),
        novelty_(options.tested),
        known_(options.tested.origin.context_size) {}

  Status prepare() { return known_.add(options_.tested, options_.tested_name); }
  const std::optional<Error>& error() const { return error_; }

  void look(const run::SessionMemory& memory) override {
    const Clock::time_point now = Clock::now();
    if (now < next_ || memory.session().attached == 0) return;
    examine(memory, false);
    next_ = Clock::now() + options_.interval;
  }

  void end(const run::SessionMemory& memory) override { examine(memory, true); }

 private:
  void examine(const run::SessionMemory& memory, bool at_exit) {
    const std::vector<RunEdge> edges = read_edges(memory.graph());
    ++report_.looks;
    if (error_ || edges.size() == edges_seen_) return;
    edges_seen_ = edges.size();
    sites_.forget_calls();  // the program may have been about to complete a row at the last look
    const RunSites sites = sites_.of(memory);
    Origin origin = options_.tested.origin;
    origin.program = program_.path;
    origin.builds = sites.accesses->builds();
    origin.runs = 1;
    const Graph graph = build_graph(origin, edges, [&](std::uint32_t site) { return sites.find(site); });
    const Result<Graph> difference = known_.subtract_from(graph, "the program");
    if (!difference) {
      error_ = difference.error();
      return;
    }
    report_.new_edges = difference->edges.size();
    for (FieldFinding& finding : find_novelties(*difference, novelty_, options_.threshold)) {
      if (!reported_.emplace(finding.file, finding.line).second) continue;
      finding.at_exit = at_exit;
      report_.findings.push_back(finding);
      if (report_finding_) report_finding_(finding);
    }
  }

  const MonitorOptions& options_;
  const binary::ProgramFile& program_;
  MonitorReport& report_;
  const std::function<void(const FieldFinding&)>& report_finding_;
  const NoveltyModel novelty_;
  GraphUnion known_;
  RunSiteCache sites_;
  std::size_t edges_seen_ = 0;
  std::set<std::pair<std::string, std::uint32_t>> reported_;
  std::optional<Error> error_;
  Clock::time_point next_{};
};

}  // namespace

NoveltyModel::NoveltyModel(const Graph& tested) {
  for (const Edge& edge : tested.edges) {
    for (const std::uint32_t end : {edge.source, edge.sink}) {
      const CodeSite& site = tested.sites[tested.nodes[end].site];
      Counts& counts = points_[{site.file, site.line}];
      counts.seen += edge.runs;
      counts.once += edge.runs == 1;
    }
  }
}

double NoveltyModel::novelty(const CodeSite& site) const {
  const auto counts = points_.find({site.file, site.line});
  if (counts == points_.end()) return 1;
  return 1 - static_cast<double>(counts->second.once) / static_cast<double>(counts->second.seen);
}

std::vector<FieldFinding> find_novelties(const Graph& difference, const NoveltyModel& model, double threshold) {
  std::map<std::pair<std::string, std::uint32_t>, FieldFinding> points;
  for (const Edge& edge : difference.edges) {
    for (const std::uint32_t end : {edge.source, edge.sink}) {
      const CodeSite& site = difference.sites[difference.nodes[end].site];
      if (site.name == 0) continue;
      FieldFinding& finding = points[{site.file, site.line}];
      if (finding.new_edges++ == 0) finding = {site.file, site.line, site.function, model.novelty(site), 1, false};
    }
  }
  std::vector<FieldFinding> findings;
  for (auto& [place, finding] : points)
    if (finding.novelty >= threshold) findings.push_back(std::move(finding));
  std::sort(findings.begin(), findings.end(), [](const FieldFinding& a, const FieldFinding& b) {
    return std::tie(b.novelty, a.file, a.line) < std::tie(a.novelty, b.file, b.line);
  });
  return findings;
}

Result<MonitorReport> monitor(const MonitorOptions& options,
                              const std::function<void(const FieldFinding&)>& report_finding) {
  const Result<binary::ProgramFile> program = binary::find_program(options.collect.run.program);
  if (!program) return program.error();
  if (Status controllable = binary::check_controllable(*program, options.collect.run.preload); !controllable)
    return controllable.error();
  MonitorReport report;
  FieldWatcher watcher(options, *program, report, report_finding);
  if (Status prepared = watcher.prepare(); !prepared) return prepared.error();
  const run::InterruptGuard guard;
  run::Runner runner;
  experiment::TrialRunner trials(*program, options.collect.run, {.graph = graph_config(options.collect)}, runner);
  run::SessionInputs inputs;
  inputs.config = run::session_config(options.collect.run);
  const Result<experiment::Trial> trial = trials.run(inputs, {.watcher = &watcher});
  if (!trial) return trial.error();
  if (watcher.error()) return *watcher.error();
  report.outcome = run::outcome_word(trial->outcome.kind);
  report.failed = trial->outcome.failed();
  report.interrupted = trial->interrupted;
  return report;
}

}  // namespace heddle::graph
