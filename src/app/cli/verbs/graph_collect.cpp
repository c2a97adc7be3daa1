// heddle graph collect: communication graphs of many runs.
#include <fmt/format.h>

#include <memory>

#include "cli/common_options.h"
#include "cli/parsing/checked_options.h"
#include "cli/progress_line.h"
#include "cli/verb.h"
#include "graph/collect.h"
#include "graph/store/graph_file.h"
#include "report/graph_report.h"
#include "run/interrupt.h"
#include "support/counted.h"
#include "support/files.h"

namespace heddle::cli {
namespace {

struct CollectVerb {
  CommonOptions common;
  std::optional<std::uint64_t> runs;
  std::optional<std::uint64_t> passing;
  std::optional<std::uint64_t> failing;
  std::uint64_t seed = 1;
  std::string strategy = "portfolio";
  std::uint64_t quantum = 0;
  bool native = false;
  bool perf = false;
  std::uint32_t context = graph_rules::kContextSizeDefault;
  std::string granularity = "word";
  std::string events = "writers";
  std::string model = "sw";
  std::uint32_t cores = 16;
  std::string trace;
  std::string out = "heddle-graphs";
};

constexpr std::uint64_t kRunsWithQuota = 100'000;

Result<graph::CollectOptions> make_options(const CollectVerb& verb, const Invocation& invocation) {
  graph::CollectOptions options;
  if (verb.trace.empty()) {
    Result<run::RunOptions> run = make_repeated_run_options(verb.common, invocation);
    if (!run) return run.error();
    options.run = std::move(*run);
  }
  options.run.native = verb.native;
  options.passing_wanted = verb.passing;
  options.failing_wanted = verb.failing;
  options.runs = verb.runs.value_or(verb.passing || verb.failing ? kRunsWithQuota : graph::kRunsDefault);
  options.seed = verb.seed;
  if (verb.strategy != "portfolio") {
    format::StrategyKind strategy{};
    run::parse_strategy(verb.strategy, strategy);
    options.strategy = strategy;
  }
  if (verb.quantum != 0 && verb.strategy != "round-robin")
    return Error{"--quantum applies to round-robin only; add --strategy round-robin, or leave out --quantum"};
  options.run.quantum = verb.quantum;
  options.context_size = verb.context;
  options.granule_bytes = verb.granularity == "line" ? 64 : verb.granularity == "word4" ? 4 : 8;
  options.events = verb.events == "readers" ? format::GraphEvents::Readers : format::GraphEvents::Writers;
  options.out_directory = verb.out;
  if (verb.model == "hw") {
    if (verb.native) return Error{"--model hw needs a controlled run; leave out --native"};
    options.model = graph::Model::Hardware;
    options.granule_bytes = 64;
    options.hardware.cores = verb.cores;
  }
  if (verb.perf) {
    if (!verb.trace.empty()) return Error{"--perf needs a running program; leave out --trace"};
    Result<graph::LoadEvent> event = graph::find_load_event();
    if (!event) return event.error();
    options.load_event = *event;
    options.model = graph::Model::Hardware;
    options.granule_bytes = 64;
    options.run.native = true;
    options.run.arm_mode = format::ArmMode::Only;  // no site: the processor samples, so the program records nothing
  }
  if (verb.passing.value_or(0) == 0 && verb.failing.value_or(0) == 0 && (verb.passing || verb.failing))
    return Error{"--passing 0 and --failing 0 keep no graph; give one of them a number from 1"};
  return options;
}

Result<ExitCode> collect_from_trace(const CollectVerb& verb, const graph::CollectOptions& options,
                                    const Invocation& invocation) {
  const std::string path = verb.out.ends_with(graph::kGraphSuffix) ? verb.out : verb.out + graph::kGraphSuffix;
  if (Status writable = check_writable_path(path); !writable) return Error{"--out: " + writable.error().message};
  const Result<graph::Graph> graph = graph::graph_of_trace(verb.trace, options);
  if (!graph) return graph.error();
  if (Status written = graph::write_graph(path, *graph); !written) return written.error();
  print_result(invocation,
               {{"runs", 1}, {"nodes", graph->nodes.size()}, {"edges", graph->edges.size()}, {"graph", path}},
               fmt::format("{} and {} in {}\n", counted(graph->nodes.size(), "node"),
                           counted(graph->edges.size(), "edge"), path),
               false);
  return ExitCode::Done;
}

std::string progress_text(const graph::CollectReport& report, std::uint64_t runs) {
  return fmt::format("{} {} runs, {} failed, {} nodes, {} edges", progress_bar(report.runs, runs), report.runs,
                     report.failing_runs, report.nodes, report.edges);
}

Result<ExitCode> collect_graphs(const CollectVerb& verb, const Invocation& invocation) {
  const Result<graph::CollectOptions> options = make_options(verb, invocation);
  if (!options) return options.error();
  if (!verb.trace.empty()) return collect_from_trace(verb, *options, invocation);
  ProgressLine line(invocation.quiet);
  line.show(progress_text({}, options->runs));
  const Result<graph::CollectReport> report = graph::collect(
      *options, [&](const graph::CollectReport& so_far) { line.show(progress_text(so_far, options->runs)); });
  line.clear();
  if (!report) return report.error();
  print_result(invocation, report::collect_json(*report), report::collect_text(*report, options->out_directory), false);
  if (report->interrupted) run::obey_interrupt();
  return ExitCode::Done;
}

}  // namespace

void add_graph_collect(CLI::App& graph, Invocation& invocation) {
  auto verb = std::make_shared<CollectVerb>();
  CLI::App* command = graph.add_subcommand("collect", "Run a program many times and write a graph of every run");
  command->footer(
      "Example: heddle graph collect --runs 50 --out graphs -- ./server_test\n"
      "Every run leaves one file, labelled passing or failing by its outcome, also when it crashes.");
  add_common_options(*command, verb->common, invocation, ProgramUse::Optional);
  add_number(*command, "--runs", verb->runs, "Runs at most [50]");
  add_number(*command, "--passing", verb->passing, "Number of passing runs to keep; stops when there are enough",
             kAnyNumber);
  add_number(*command, "--failing", verb->failing, "Number of failing runs to keep; stops when there are enough",
             kAnyNumber);
  add_number(*command, "--seed", verb->seed, "Same seed, same schedules [1]", kAnyNumber);
  add_choice(*command, "--strategy", verb->strategy,
             "portfolio is a mix, round-robin is always the same schedule [portfolio]",
             {"portfolio", "random", "pct", "pos", "round-robin"});
  add_number(*command, "--quantum", verb->quantum, "With --strategy round-robin: steps between two switches [16]");
  command->add_flag("--native", verb->native, "Real threads on real processors, without control");
  add_number(*command, "--context", verb->context, "Number of communication events in a context, 0 to 8 [5]",
             {0, graph_rules::kContextSizeMax});
  add_choice(*command, "--granularity", verb->granularity, "word (8 bytes), word4 (4 bytes) or line (64 bytes) [word]",
             {"word", "word4", "line"});
  add_choice(
      *command, "--events", verb->events,
      "Communication events: writers (accesses to memory that another thread wrote last) or readers (also writes to "
      "memory that another thread has read since) [writers]",
      {"writers", "readers"});
  add_choice(*command, "--model", verb->model, "sw (every access) or hw (a model of caches that communicate) [sw]",
             {"sw", "hw"});
  command->add_flag(
      "--perf", verb->perf,
      "Real cache-to-cache transfers of native runs, where the processor samples loads (as perf c2c); nearly free");
  add_number(*command, "--cores", verb->cores, "Cores of the machine that --model hw models [16]", {2, 64});
  add_input(*command, invocation, "--trace", verb->trace, "Make the graph of this trace instead of running a program",
            {FileKind::Trace});
  add_output_directory(*command, invocation, "--out", verb->out,
                       "Directory for the graphs, or with --trace the file [heddle-graphs]",
                       [verb] { return verb->trace.empty(); });
  set_action(*command, invocation, verb, collect_graphs);
}

}  // namespace heddle::cli
