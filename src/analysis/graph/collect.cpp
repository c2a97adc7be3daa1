#include "graph/collect.h"

#include <fmt/format.h>

#include <bit>
#include <charconv>
#include <chrono>
#include <filesystem>

#include "binary/program_file.h"
#include "graph/heuristics.h"
#include "graph/model/software_model.h"
#include "graph/run_source.h"
#include "graph/store/graph_file.h"
#include "graph/store/graph_union.h"
#include "run/interrupt.h"
#include "support/files.h"
#include "trace/file/trace_reader.h"

namespace heddle::graph {
namespace {

using Clock = std::chrono::steady_clock;

Result<std::uint64_t> make_directory(const std::string& path) {
  std::error_code problem;
  std::filesystem::create_directories(path, problem);
  if (problem) return Error{"cannot make the directory " + path + ": " + problem.message()};
  std::uint64_t last = 0;  // graphs that are there stay, and the new ones go on counting
  for (const auto& entry : std::filesystem::directory_iterator(path, problem)) {
    const std::string name = entry.path().filename();
    std::uint64_t number = 0;
    std::from_chars(name.data(), name.data() + name.size(), number);
    if (name.ends_with(kGraphSuffix)) last = std::max(last, number);
  }
  return last;
}

Origin origin_of(const CollectOptions& options, const binary::ProgramFile& program, const ObservedRun& made,
                 std::uint64_t index) {
  Origin origin;
  origin.program = program.path;
  origin.builds = made.sites->builds();
  origin.model = options.model;
  origin.granule_bytes = options.granule_bytes;
  origin.context_size = options.context_size;
  origin.events = options.events;
  origin.label = made.outcome.failed() ? Label::Failing : Label::Passing;
  origin.outcome = run::outcome_word(made.outcome.kind);
  origin.seed = index;
  origin.dropped = made.dropped;
  return origin;
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
  if (options.model == Model::Hardware) return config;  // made on this side, of events
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
  const Clock::time_point begin = Clock::now();
  Result<std::unique_ptr<RunSource>> source = make_run_source(*program, options);
  if (!source) return source.error();
  CollectReport report;
  GraphUnion together(options.context_size);
  for (std::uint64_t index = 0; index < options.runs && !have_enough(options, report); ++index) {
    const Result<ObservedRun> made = (*source)->make(index);
    if (!made) return made.error();
    if (made->interrupted) {
      report.interrupted = true;
      break;
    }
    if (made->outcome.uncontrolled()) return Error{made->outcome.message, ExitCode::Uncontrolled};
    const bool failed = made->outcome.failed();
    ++report.runs;
    report.failing_runs += failed;
    report.steps += made->steps;
    report.dropped += made->dropped;
    report.hardware += made->hardware;
    std::uint64_t& kept = failed ? report.kept_failing : report.kept_passing;
    if (is_wanted(failed ? options.failing_wanted : options.passing_wanted, kept)) {
      ++kept;
      const Graph graph = build_graph(origin_of(options, *program, *made, index), made->edges, [&](std::uint32_t site) {
        return find_site(*made->sites, *made->call_sites, site);
      });
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
    report.seconds = std::chrono::duration<double>(Clock::now() - begin).count();
    if (show) show(report);
  }
  return report;
}

Result<Graph> graph_of_trace(const std::string& trace_path, const CollectOptions& options) {
  Result<trace::TraceReader> reader = trace::TraceReader::open(trace_path);
  if (!reader) return reader.error();
  HardwareConfig machine = options.hardware;
  machine.context_size = options.context_size;
  HardwareModel hardware(machine);
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
  Origin origin;
  const CodeSites sites(reader->tables());
  const CallSites calls(sites, reader->tables());
  origin.program = reader->tables().header.program;
  origin.builds = sites.builds();
  origin.model = options.model;
  origin.granule_bytes = options.granule_bytes;
  origin.context_size = options.context_size;
  origin.events = options.events;
  return build_graph(std::move(origin), options.model == Model::Hardware ? hardware.edges() : software.edges(),
                     [&](std::uint32_t site) { return find_site(sites, calls, site); });
}

}  // namespace heddle::graph
