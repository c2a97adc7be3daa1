#include "run/replay/clip_builder.h"

#include <sys/stat.h>

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <tuple>

#include "base/hash.h"
#include "binary/program_file.h"
#include "binary/sections/site_table.h"
#include "clip/module_identity.h"
#include "run/replay/descent_index.h"
#include "support/files.h"

namespace heddle::run {
namespace {

// The path of the file on the stdin of this process; empty: stdin is not a file.
std::string inherited_stdin_file() {
  struct stat status;
  if (::fstat(0, &status) != 0 || !S_ISREG(status.st_mode)) return {};
  std::error_code error;
  return std::filesystem::read_symlink("/proc/self/fd/0", error).string();
}

// For a thread that stopped elsewhere than at a site: the innermost line of the program's own code.
void set_frame(clip::ClipSwitch& entry, const std::vector<binary::SourceFrame>& stack) {
  const binary::SourceFrame* frame = first_own_frame(stack);
  if (frame == nullptr) return;
  entry.file = frame->file;
  entry.line = frame->line;
  entry.column = frame->column;
  entry.function = frame->linkage_name;
  entry.function_line = frame->function_line;
}

void set_site(clip::ClipSwitch& entry, const binary::Site& site) {
  entry.file = site.file;
  entry.line = site.line;
  entry.column = site.column;
  entry.function = site.function;
  entry.function_line = site.function_line;
  entry.site = site.name;
}

std::vector<clip::ClipSwitch> switches_of(const RunReport& report, Runner& runner) {
  const Decisions& decisions = report.decisions;
  binary::SiteTable sites(runner.last_result());
  std::vector<clip::ClipSwitch> switches;
  for (std::size_t i = 0; i + 1 < decisions.runs.size(); ++i) {
    const Decisions::Run& run = decisions.runs[i];
    if (run.thread == decisions.runs[i + 1].thread) continue;  // it blocked and was the first thread to become runnable
    const Decisions::Stop stop = i < decisions.stops.size() ? decisions.stops[i] : Decisions::Stop{};
    clip::ClipSwitch entry;
    entry.preemption = run.preemption;
    entry.thread = decisions.descent_name(run.thread);
    entry.to = decisions.descent_name(decisions.runs[i + 1].thread);
    const char* word = format::event_word(run.kind);
    entry.kind = word != nullptr ? word : "";
    entry.occurrence = static_cast<std::uint32_t>(stop.occurrence);
    if (const binary::Site* site = run.site != 0 ? sites.find(run.site) : nullptr) {
      set_site(entry, *site);
    } else {
      set_frame(entry, runner.symbolizer().symbolize(runner.last_result(), decisions.frames.data() + stop.frames_begin,
                                                     stop.frames_count, false));
    }
    if (const binary::Site* after = stop.after_site != 0 ? sites.find(stop.after_site) : nullptr) {
      entry.after_site = after->name;
      entry.after_function_line = after->function_line;
      entry.after_occurrence = stop.after_occurrence;
      entry.after_same = stop.after_same;
    }
    switches.push_back(std::move(entry));
  }
  return switches;
}

// A run that did not end by itself, which its repetition need not wait for.
std::optional<KnownEnd> known_end_of(const clip::ClipEnd& end, const RunOptions& options) {
  if (end.outcome == outcome_word(format::OutcomeKind::Timeout)) return KnownEnd{end.events, false};
  const bool spun = end.outcome == outcome_word(format::OutcomeKind::Livelock) && end.events < options.steps_max;
  return spun ? std::optional(KnownEnd{end.events, true}) : std::nullopt;
}

}  // namespace

clip::Clip build_clip(const RunOptions& options, const RunReport& report) {
  clip::Clip clip;
  clip::ClipHead& head = clip.head;
  if (const Result<binary::ProgramFile> program = binary::find_program(options.program)) {
    head.program = program->path;
    head.build_id = program->build_id;
  }
  head.arguments = options.arguments;
  head.environment = options.environment;
  head.unset_environment = options.unset_environment;
  head.driver = options.driver;
  head.stdin_file = options.stdin_file.empty() ? inherited_stdin_file() : absolute_path(options.stdin_file);
  if (!options.working_directory.empty()) head.working_directory = absolute_path(options.working_directory);
  head.modules = report.modules;
  head.processor = clip::processor_name();
  head.engine = options.engine;
  head.strategy = strategy_word(options.strategy);
  head.seed = options.seed;
  head.quantum = quantum_of(options);
  head.processors = options.processors;
  head.spurious_wakeups = options.spurious_wakeups;
  head.time_model = options.time_model;
  if (report.outcome.kind == format::OutcomeKind::Livelock) head.steps_max = options.steps_max;
  head.arm_mode = options.arm_mode;
  head.armed = options.armed;

  const Decisions& decisions = report.decisions;
  for (const Decisions::Run& run : decisions.runs) {
    clip.runs.push_back({decisions.descent_name(run.thread), run.points, run.check, !run.preemption});
  }
  for (const std::uint32_t thread : decisions.choices) clip.choices.push_back(decisions.descent_name(thread));
  clip.arrivals = decisions.arrivals;
  clip.omitted = options.omitted;

  clip::ClipEnd end;
  end.outcome = outcome_word(report.outcome.kind);
  end.signature = report.outcome.signature;
  end.message = report.outcome.message;
  end.events = report.events;
  end.event_hash = report.event_hash;
  end.threads = report.threads;
  end.switches = report.switches;
  end.preemptions = report.preemptions;
  clip.end = end;
  return clip;
}

void describe_switches(clip::Clip& clip, const RunReport& report, Runner& runner) {
  clip.switches = switches_of(report, runner);
}

std::vector<std::string> annotate_clip(clip::Clip& clip, const RunOptions& options, Runner& runner) {
  const std::string consequence = "; the clip replays on this build of the program only";
  Result<SessionInputs> inputs = replay_inputs(clip);
  if (!inputs) return {inputs.error().message + consequence};
  RunOptions again = options;
  again.strategy = format::StrategyKind::Replay;
  again.annotate = true;
  again.record_path.clear();
  again.output = Output::Discard;
  again.fails_if.clear();
  again.known_end = known_end_of(*clip.end, options);
  const Result<RunReport> report = runner.run_once(again, std::move(*inputs));
  if (report && report->interrupted)
    return {"the run was not repeated for the source lines of its switches" + consequence};
  if (!report)
    return {"the run could not be repeated for the source lines of its switches: " + report.error().message +
            consequence};
  if (report->divergence) {
    return {"repeating the run diverged at step " + std::to_string(report->divergence->step) + " (" +
            report->divergence->what + "); `heddle check` names the cause" + consequence};
  }
  if (report->event_hash != clip.end->event_hash) {
    return {"repeating the run did not end with the same event hash; `heddle check` names the cause" + consequence};
  }
  clip.switches = switches_of(*report, runner);
  return {};
}

Result<SessionInputs> replay_inputs(const clip::Clip& clip) {
  SessionInputs inputs;
  DescentIndex descents(inputs);
  for (const clip::ClipRun& run : clip.runs) {
    const Result<std::uint32_t> thread = descents.of(run.thread);
    if (!thread) return thread.error();
    inputs.runs.push_back({*thread, run.points, run.check, run.forced});
  }
  for (const std::string& choice : clip.choices) {
    const Result<std::uint32_t> thread = descents.of(choice);
    if (!thread) return thread.error();
    inputs.choices.push_back(*thread);
  }
  inputs.arrivals = clip.arrivals;
  return inputs;
}

Result<RunOptions> options_of(const clip::Clip& clip) {
  RunOptions options;
  const clip::ClipHead& head = clip.head;
  options.program = head.program;
  options.arguments = head.arguments;
  options.environment = head.environment;
  options.unset_environment = head.unset_environment;
  options.stdin_file = head.stdin_file;
  options.driver = head.driver;
  options.working_directory = head.working_directory;
  options.engine = head.engine;
  options.seed = head.seed;
  options.quantum = head.quantum;
  if (head.processors != 0) options.processors = head.processors;
  options.spurious_wakeups = head.spurious_wakeups;
  options.time_model = head.time_model;
  if (head.steps_max != 0) options.steps_max = head.steps_max;
  options.arm_mode = head.arm_mode;
  options.armed = head.armed;
  options.omitted = clip.omitted;
  if (!parse_strategy(head.strategy, options.strategy)) {
    return Error{"the clip was made with strategy '" + head.strategy +
                 "', which this version of Heddle does not have; update Heddle"};
  }
  return options;
}

Status omit(const clip::Omitted& omitted, SessionInputs& inputs) {
  inputs.disabled.clear();
  for (const std::string& name : omitted.threads) {
    const Result<std::uint64_t> descent = parse_descent(name);
    if (!descent) return descent.error();
    inputs.disabled.push_back(*descent);
  }
  inputs.iterations.clear();
  for (const clip::IterationRange& range : omitted.iterations) {
    const Result<std::uint64_t> descent = parse_descent(range.thread);
    if (!descent) return descent.error();
    const std::uint64_t loop = hash_bytes(range.loop.data(), range.loop.size());
    inputs.iterations.push_back({format::iteration_key(*descent, loop), range.first, range.last});
  }
  std::sort(inputs.iterations.begin(), inputs.iterations.end(),
            [](const auto& a, const auto& b) { return std::tie(a.key, a.first) < std::tie(b.key, b.first); });
  return ok_status();
}

Result<std::uint64_t> parse_descent(const std::string& name) {
  const Error bad{"'" + name + "' does not name a thread; write a descent such as 0.2.1"};
  if (name == "0") return kMainDescent;
  if (!name.starts_with("0.")) return bad;
  std::uint64_t hash = kMainDescent;
  const char* at = name.data() + 1;
  const char* const end = name.data() + name.size();
  while (at != end) {
    std::uint32_t ordinal = 0;
    if (*at != '.') return bad;
    const auto [rest, error] = std::from_chars(at + 1, end, ordinal);
    if (error != std::errc{} || ordinal == 0) return bad;
    hash = child_descent(hash, ordinal);
    at = rest;
  }
  return hash;
}

}  // namespace heddle::run
