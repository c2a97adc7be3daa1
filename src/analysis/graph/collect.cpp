#include "graph/collect.h"

#include <fmt/format.h>

#include <bit>
#include <charconv>
#include <chrono>
#include <filesystem>

#include "binary/program_file.h"
#include "graph/model/software_model.h"
#include "graph/run_source.h"
#include "graph/store/graph_file.h"
#include "graph/store/graph_union.h"
#include "run/interrupt.h"
#include "support/duration.h"
#include "support/files.h"
#include "trace/file/trace_reader.h"

namespace heddle::graph {
namespace {

// Returns the number of the last graph in the directory: existing graphs stay, and new ones continue the numbering.
Result<std::uint64_t> make_directory(const std::string& path) {
  std::error_code problem;
  std::filesystem::create_directories(path, problem);
  if (problem) return Error{"cannot make the directory " + path + ": " + problem.message()};
  std::uint64_t last = 0;
  for (const auto& entry : std::filesystem::directory_iterator(path, problem)) {
    const std::string name = entry.path().filename();
    std::uint64_t number = 0;
    std::from_chars(name.data(), name.data() + name.size(), number);
    if (name.ends_with(kGraphSuffix)) last = std::max(last, number);
  }
  return last;
}

Graph graph_of_run(const CollectOptions& options, const std::string& program, const ObservedRun& run,
                   std::uint64_t index) {
  Origin origin;
  static_cast<Method&>(origin) = options;
  origin.program = program;
  origin.builds = run.sites.accesses->builds();
  origin.label = run.outcome.failed() ? Label::Failing : Label::Passing;
  origin.outcome = run::outcome_word(run.outcome.kind);
  origin.seed = index;
  origin.dropped = run.dropped;
  return build_graph(std::move(origin), run.edges, [&](std::uint32_t site) { return run.sites.find(site); });
}

bool is_wanted(const std::optional<std::uint64_t>& wanted, std::uint64_t kept) { return !wanted || kept < *wanted; }

bool have_enough(const CollectOptions& options, const CollectReport& report) {
  if (!options.passing_wanted && !options.failing_wanted) return false;
  return report.kept_passing >= options.passing_wanted.value_or(0) &&
         report.kept_failing >= options.failing_wanted.value_or(0);
}

}  // namespace

format::GraphConfig graph_config(const CollectOptions& options) {
  format::GraphConfig config{};
  config.granule_shift = static_cast<std::uint32_t>(std::countr_zero(options.granule_bytes));
  if (options.model == Model::Hardware) return config;  // the graph is made in this process
  config.slots = options.run.native ? kNativeSlots : kSlots;
  config.context_size = options.context_size;
  config.events = options.events;
  return config;
}

Result<CollectReport> collect(const CollectOptions& options, const std::function<void(const CollectReport&)>& show) {
  const Result<binary::ProgramFile> program = binary::find_program(options.run.program);
  if (!program) return program.error();
  if (Status controllable = binary::check_controllable(*program, options.run.preload); !controllable)
    return controllable.error();
  const Result<std::uint64_t> files_before = make_directory(options.out_directory);
  if (!files_before) return files_before.error();
  const run::InterruptGuard guard;
  const auto begin = std::chrono::steady_clock::now();
  RunSource source(*program, options);
  if (Status started = source.start(); !started) return started.error();
  CollectReport report;
  GraphUnion together(options.context_size);
  for (std::uint64_t index = 0; index < options.runs && !have_enough(options, report); ++index) {
    const Result<ObservedRun> run = source.make(index);
    if (!run) return run.error();
    if (run->interrupted) {
      report.interrupted = true;
      break;
    }
    if (run->outcome.uncontrolled()) return Error{run->outcome.message, ExitCode::Uncontrolled};
    const bool failed = run->outcome.failed();
    ++report.runs;
    report.failing_runs += failed;
    report.steps += run->steps;
    report.dropped += run->dropped;
    report.hardware += run->hardware;
    std::uint64_t& kept = failed ? report.kept_failing : report.kept_passing;
    if (is_wanted(failed ? options.failing_wanted : options.passing_wanted, kept)) {
      ++kept;
      const Graph graph = graph_of_run(options, program->path, *run, index);
      const std::string bytes = encode_graph(graph);
      report.largest_file_bytes = std::max<std::uint64_t>(report.largest_file_bytes, bytes.size());
      const std::uint64_t number = *files_before + report.kept_passing + report.kept_failing;
      const std::string path =
          fmt::format("{}/{:05}-{}{}", options.out_directory, number, failed ? "failing" : "passing", kGraphSuffix);
      if (Status written = write_file(path, bytes); !written) return written.error();
      if (Status added = together.add(graph, path); !added) return added.error();
    }
    report.nodes = together.nodes();
    report.edges = together.edges();
    report.seconds = seconds_since(begin);
    if (show) show(report);
  }
  return report;
}

Result<Graph> graph_of_trace(const std::string& trace_path, const CollectOptions& options) {
  Result<trace::TraceReader> reader = trace::TraceReader::open(trace_path);
  if (!reader) return reader.error();
  HardwareModel hardware(options.hardware, options.context_size);
  SoftwareModel software(graph_config(options));
  for (std::span<const trace::Event> events = reader->next(); !events.empty(); events = reader->next()) {
    for (const trace::Event& event : events) {
      if (options.model == Model::Hardware)
        hardware.add(event);
      else
        software.add(event);
    }
  }
  if (!reader->problems().empty()) return Error{trace_path + ": " + reader->problems().front().message};
  RunSites sites{std::make_shared<const CodeSites>(reader->tables()), nullptr};
  sites.calls = std::make_shared<const CallSites>(*sites.accesses, reader->tables());
  Origin origin;
  static_cast<Method&>(origin) = options;
  origin.program = reader->tables().header.program;
  origin.builds = sites.accesses->builds();
  return build_graph(std::move(origin), options.model == Model::Hardware ? hardware.edges() : software.edges(),
                     [&](std::uint32_t site) { return sites.find(site); });
}

}  // namespace heddle::graph
