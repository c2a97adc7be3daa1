// heddle graph monitor: compares a program in the field with the graph of its tests.
#include <fmt/format.h>

#include <ctime>
#include <fstream>
#include <memory>

#include "cli/common_options.h"
#include "cli/parsing/checked_options.h"
#include "cli/verb.h"
#include "graph/monitor.h"
#include "graph/store/graph_file.h"
#include "report/graph_report.h"
#include "run/interrupt.h"
#include "support/counted.h"

namespace heddle::cli {
namespace {

struct MonitorVerb {
  CommonOptions common;
  std::string tested;
  double threshold = graph::kNoveltyDefault;
  std::optional<std::chrono::milliseconds> interval;
  std::string findings = "heddle-findings.jsonl";
};

Result<graph::MonitorOptions> make_options(const MonitorVerb& verb, const Invocation& invocation) {
  graph::MonitorOptions options;
  Result<graph::Graph> tested = graph::read_graph(verb.tested);
  if (!tested) return tested.error();
  if (tested->origin.model != graph::Model::Software)
    return Error{verb.tested +
                 " was collected with --model hw; monitoring needs a graph of: heddle graph collect --model sw"};
  Result<run::RunOptions> run = make_run_options(verb.common, invocation);
  if (!run) return run.error();
  options.collect.run = std::move(*run);
  options.collect.run.native = true;
  options.collect.run.timeout = {};  // programs in the field have no time limit
  if (invocation.json) options.collect.run.output = run::Output::ToStderr;
  options.collect.context_size = tested->origin.context_size;
  options.collect.granule_bytes = tested->origin.granule_bytes;
  options.collect.events = tested->origin.events;
  options.tested = std::move(*tested);
  options.tested_name = verb.tested;
  options.threshold = verb.threshold;
  if (verb.interval) options.interval = *verb.interval;
  return options;
}

Result<ExitCode> monitor_program(const MonitorVerb& verb, const Invocation& invocation) {
  const Result<graph::MonitorOptions> options = make_options(verb, invocation);
  if (!options) return options.error();
  std::ofstream file(verb.findings, std::ios::app);
  const Result<graph::MonitorReport> report = graph::monitor(*options, [&](const graph::FieldFinding& finding) {
    report::Json row = report::field_finding_json(finding);
    row["time"] = std::time(nullptr);
    row["program"] = options->collect.run.program;
    file << report::dump(row) << "\n" << std::flush;
    if (!invocation.quiet)
      say(fmt::format("new: {}:{} in {} ({} in no test, novelty {:.2f})\n", finding.file, finding.line,
                      finding.function, counted(finding.new_edges, "edge"), finding.novelty));
  });
  if (!report) return report.error();
  if (invocation.json)
    print_json(report::dump(report::monitor_json(*report, verb.findings)));
  else if (!invocation.quiet)
    say(fmt::format("{}, appended to {}; outcome of the program: {}\n",
                    counted(report->findings.size(), "new code point"), verb.findings, report->outcome));
  if (report->interrupted) run::obey_interrupt();
  return report->findings.empty() ? ExitCode::Done : ExitCode::Found;
}

}  // namespace

void add_graph_monitor(CLI::App& graph, Invocation& invocation) {
  auto verb = std::make_shared<MonitorVerb>();
  CLI::App* command =
      graph.add_subcommand("monitor", "Run a program natively and report communication that no test has shown");
  command->footer(
      "Example: heddle graph union graphs -o tested.hgraph && heddle graph monitor --tested tested.hgraph -- ./server\n"
      "Findings are appended to a file while the program runs, one JSON object a line. Exit code 1: there are "
      "findings.");
  add_common_options(*command, verb->common, invocation, ProgramUse::Required);
  add_input(*command, invocation, "--tested", verb->tested, "The union graph of all tests", {FileKind::Graph})
      ->required();
  add_share(*command, "--threshold", verb->threshold,
            "Minimal novelty of a reported code point: 1 minus the share of edges that were new there in tests [0.9]");
  add_duration(*command, "--interval", verb->interval, "Polling interval, as 500ms or 1s [1s]", Zero::Refused);
  add_output_file(*command, invocation, "--findings", verb->findings,
                  "File to which findings are appended [heddle-findings.jsonl]", {}, Writing::InPlace);
  set_action(*command, invocation, verb, monitor_program);
}

}  // namespace heddle::cli
