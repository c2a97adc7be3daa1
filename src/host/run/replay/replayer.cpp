#include "run/replay/replayer.h"

#include <algorithm>

#include "binary/program_file.h"
#include "clip/module_identity.h"
#include "run/replay/clip_builder.h"
#include "run/replay/descent_index.h"
#include "run/replay/site_matcher.h"

namespace heddle::run {
namespace {

std::optional<format::EventKind> parse_event_word(const std::string& word) {
  for (unsigned code = 1; code < 256; ++code) {
    const auto kind = static_cast<format::EventKind>(code);
    const char* known = format::event_word(kind);
    if (known != nullptr && word == known) return kind;
  }
  return std::nullopt;
}

// Reads the sites of the program, then the sites of the instrumented libraries that the clip names.
Result<SiteMatcher> read_matcher(const clip::Clip& clip, const RunOptions& options) {
  SiteMatcher matcher;
  const Result<binary::ProgramFile> program = binary::find_program(options.program);
  if (!program) return program.error();
  const Result<binary::ElfFile> file = binary::ElfFile::open(program->path);
  if (!file) return file.error();
  matcher.add(binary::read_sites(*file));
  for (const clip::ModuleIdentity& module : clip.head.modules) {
    if (!module.instrumented || module.path == clip.head.program) continue;
    if (const Result<binary::ElfFile> library = binary::ElfFile::open(module.path))
      matcher.add(binary::read_sites(*library));
  }
  return matcher;
}

// A replay by site compares only the kind of the outcome and its number, because lines have moved.
bool same_outcome(const clip::ClipEnd& end, const RunReport& report, bool exact) {
  if (exact) return end.signature == report.outcome.signature;
  if (end.outcome != outcome_word(report.outcome.kind)) return false;
  const bool numbered =
      report.outcome.kind == format::OutcomeKind::Exit || report.outcome.kind == format::OutcomeKind::Signal;
  if (!numbered) return true;
  const auto second_word = [](const std::string& signature) {
    const std::size_t first = signature.find(' ');
    return first == std::string::npos ? "" : signature.substr(first + 1, signature.find(' ', first + 1) - first - 1);
  };
  return second_word(end.signature) == second_word(report.outcome.signature);
}

Verdict judge(const clip::ClipEnd& end, const RunReport& report, bool exact) {
  if (report.interrupted) return Verdict::NoVerdict;
  if (exact) {
    const bool same = !report.divergence && report.event_hash == end.event_hash && same_outcome(end, report, true);
    return same ? Verdict::Reproduced : Verdict::NoVerdict;
  }
  if (same_outcome(end, report, false)) return Verdict::Reproduced;
  const bool all_met = !report.divergence && report.preemptions_met == report.preemptions_total;
  return report.outcome.kind == format::OutcomeKind::Ok && all_met ? Verdict::Fixed : Verdict::NoVerdict;
}

}  // namespace

const char* verdict_word(Verdict verdict) {
  constexpr const char* kWords[] = {"reproduced", "fixed", "no_verdict"};
  return kWords[static_cast<std::size_t>(verdict)];
}

Result<RunOptions> replay_options(const clip::Clip& clip, const ReplayOptions& options) {
  Result<RunOptions> run = options_of(clip);
  if (!run) return run;
  if (!options.program.empty()) {
    run->program = options.program;
    run->arguments = options.arguments;
  } else if (const Result<binary::ProgramFile> found = binary::find_program(run->program); !found) {
    return Error{found.error().message + "; name the program: heddle replay CLIP -- PROGRAM ARGUMENTS"};
  }
  if (options.engine) run->engine = *options.engine;
  run->preload = options.preload;
  run->keep_aslr = options.keep_aslr;
  run->output = options.output;
  run->record_path = options.record_path;
  run->record_values = options.record_values;
  run->record_flow = options.record_flow;
  run->fails_if = options.fails_if;
  run->stop = options.stop;
  if (options.timeout) run->timeout = *options.timeout;
  if (options.steps_max) run->steps_max = *options.steps_max;
  if (options.stdin_file) run->stdin_file = *options.stdin_file;
  if (options.working_directory) run->working_directory = *options.working_directory;
  for (const auto& [name, value] : options.environment) run->environment[name] = value;
  return run;
}

bool same_build(const clip::Clip& clip, const RunOptions& options) {
  const Result<binary::ProgramFile> program = binary::find_program(options.program);
  if (!program || program->build_id.empty() || program->build_id != clip.head.build_id) return false;
  return std::all_of(clip.head.modules.begin(), clip.head.modules.end(), [&](const clip::ModuleIdentity& module) {
    if (!module.instrumented || module.path == clip.head.program) return true;
    const Result<binary::ElfFile> library = binary::ElfFile::open(module.path);
    // A missing library may be found on another path; the replay checks every step anyway.
    return !library || library->build_id() == module.build_id;
  });
}

Result<SessionInputs> site_replay_inputs(const clip::Clip& clip, RunOptions& options) {
  Result<SiteMatcher> matcher = read_matcher(clip, options);
  if (!matcher) return matcher.error();
  matcher->learn_moves(clip.switches);
  SessionInputs inputs;
  DescentIndex descents(inputs);
  // Appends the names that match `entry`; returns their number.
  const auto add_names = [&](const clip::ClipSwitch& entry) {
    if (entry.site.empty()) return std::uint32_t{0};
    const std::vector<std::uint64_t> names = matcher->candidates(entry);
    inputs.site_names.insert(inputs.site_names.end(), names.begin(), names.end());
    return static_cast<std::uint32_t>(names.size());
  };
  for (const clip::ClipSwitch& entry : clip.switches) {
    const Result<std::uint32_t> from = descents.of(entry.thread);
    if (!from) return from.error();
    const Result<std::uint32_t> to = descents.of(entry.to);
    if (!to) return to.error();
    const std::optional<format::EventKind> kind = parse_event_word(entry.kind);
    format::SiteSwitch wanted{};
    wanted.from = *from;
    wanted.to = *to;
    wanted.kind = kind.value_or(format::EventKind{});
    wanted.preemption = entry.preemption;
    wanted.occurrence = entry.occurrence;
    wanted.names_begin = static_cast<std::uint32_t>(inputs.site_names.size());
    wanted.names_count = add_names(entry);
    wanted.after_begin = static_cast<std::uint32_t>(inputs.site_names.size());
    clip::ClipSwitch after;
    after.site = entry.after_site;
    after.function_line = entry.after_function_line;
    wanted.after_count = add_names(after);
    wanted.after_occurrence = entry.after_occurrence;
    wanted.after_same = entry.after_same;
    inputs.switches.push_back(wanted);
  }
  for (const std::string& choice : clip.choices) {
    const Result<std::uint32_t> thread = descents.of(choice);
    if (!thread) return thread.error();
    inputs.choices.push_back(*thread);
  }
  options.armed = matcher->translate(options.armed);
  return inputs;
}

Result<ReplayReport> replay(const clip::Clip& clip, const ReplayOptions& options, Runner& runner) {
  if (!clip.end) {
    return Error{
        "the clip is cut short: it does not say how the run ended; record it again with: heddle run --clip FILE -- "
        "PROGRAM"};
  }
  Result<RunOptions> run = replay_options(clip, options);
  if (!run) return run.error();
  ReplayReport report;
  report.exact = same_build(clip, *run);
  if (!report.exact && clip.switches.empty() && clip.end->switches > 0) {
    return Error{
        "the program is another build than the clip's, and the clip has no source lines to find its switches by; "
        "replay it on the build that it was made with, or record a new clip",
        ExitCode::Uncontrolled};
  }
  Result<SessionInputs> inputs = report.exact ? replay_inputs(clip) : site_replay_inputs(clip, *run);
  if (!inputs) return inputs.error();
  run->strategy = report.exact ? format::StrategyKind::Replay : format::StrategyKind::ReplayBySite;

  bool all_fixed = true;
  for (int i = 0; i < std::max(options.times, 1); ++i) {
    Result<RunReport> once = runner.run_once(*run, *inputs);
    if (!once) return once.error();
    run->record_path.clear();
    if (run->fails_if.empty()) run->output = Output::Discard;  // every run prints the same
    const Verdict verdict = judge(*clip.end, *once, report.exact);
    const bool all_reproduced_before = report.reproduced_runs == report.runs;
    ++report.runs;
    report.reproduced_runs += verdict == Verdict::Reproduced;
    all_fixed = all_fixed && verdict == Verdict::Fixed;
    if (all_reproduced_before) report.last = std::move(*once);
    if (report.last.interrupted) break;
  }
  if (report.reproduced_runs == report.runs)
    report.verdict = Verdict::Reproduced;
  else if (all_fixed)
    report.verdict = Verdict::Fixed;
  report.event_hash = report.last.event_hash;
  report.units = clip::read_source_units(report.last.modules);
  const auto total = static_cast<std::uint32_t>(std::count_if(clip.switches.begin(), clip.switches.end(),
                                                              [](const clip::ClipSwitch& s) { return s.preemption; }));
  report.preemptions_total = report.exact ? static_cast<std::uint32_t>(clip.end->preemptions) : total;
  report.preemptions_met =
      report.exact ? static_cast<std::uint32_t>(report.last.preemptions) : report.last.preemptions_met;
  return report;
}

}  // namespace heddle::run
