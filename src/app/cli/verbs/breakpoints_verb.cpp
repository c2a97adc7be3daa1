// heddle breakpoints: turns a clip into a regression test that needs only a header of Heddle.
#include <filesystem>
#include <memory>

#include "breakpoints/conflict_sweep.h"
#include "breakpoints/generator.h"
#include "breakpoints/source_patch.h"
#include "cli/clip_input.h"
#include "cli/common_options.h"
#include "cli/parsing/checked_options.h"
#include "cli/progress_line.h"
#include "cli/verb.h"
#include "report/failure/breakpoints_report.h"
#include "report/run_text.h"
#include "run/interrupt.h"
#include "support/files.h"

namespace heddle::cli {
namespace {

struct BreakpointsVerb {
  CommonOptions common;
  std::string clip_path;
  std::string out;
  std::string patch;
  std::string root;
  std::optional<std::chrono::milliseconds> time;
  int runs = 20;
  bool conflicts = false;
  std::optional<std::chrono::milliseconds> pause;
  std::vector<std::uint32_t> lines;
};

std::string default_out(const std::string& clip_path) {
  std::filesystem::path path = clip_path;
  if (path.extension() == ".zst") path.replace_extension();
  return path.replace_extension(".breakpoints").string();
}

// Shows the command that tests the conflicts of the program, if one is given.
Error missing_clip(const Invocation& invocation) {
  std::vector<std::string> line = {"heddle", "breakpoints", "--conflicts", "--"};
  if (invocation.program.empty()) line.emplace_back("./program");
  line.insert(line.end(), invocation.program.begin(), invocation.program.end());
  return Error{
      "heddle breakpoints needs a clip, as in: heddle breakpoints failure.clip; for the conflicts of a program type: " +
      report::command_text(line)};
}

Result<ExitCode> from_clip(const BreakpointsVerb& verb, const Invocation& invocation) {
  if (verb.clip_path.empty()) return missing_clip(invocation);
  breakpoints::GenerateOptions options;
  Result<run::ReplayOptions> replay = make_replay_options(verb.common, invocation);
  if (!replay) return replay.error();
  options.replay = std::move(*replay);
  options.runs = verb.runs;
  options.wants_patch = !verb.patch.empty();
  options.patch_root = verb.root;
  if (verb.time) options.time = *verb.time;
  const std::string out = verb.out.empty() ? default_out(verb.clip_path) : verb.out;
  if (Status writable = check_writable_path(out); !writable)
    return Error{writable.error().message + "; name another file with --out"};
  const Result<clip::Clip> clip = read_whole_clip(verb.clip_path);
  if (!clip) return clip.error();
  ProgressLine line(invocation.quiet);
  Result<breakpoints::Generated> generated =
      breakpoints::generate(*clip, options, [&](const auto& progress) { line.show(progress); });
  line.clear();
  if (options.replay.stop.is_interrupted()) run::obey_interrupt();
  if (!generated) return generated.error();
  report::WrittenBreakpoints written;
  const bool found = !generated->set.meetings.empty();
  if (found) {
    if (Status saved = write_file(out, breakpoints::breakpoint_file_text(generated->set)); !saved) return saved.error();
    written.file = out;
  }
  if (generated->patch) {
    if (Status saved = write_file(verb.patch, generated->patch->text); !saved) return saved.error();
    written.patch = verb.patch;
    written.root = generated->patch->root;
  }
  print_result(invocation, report::breakpoints_json(*generated, written), report::breakpoints_text(*generated, written),
               !found);
  return found ? ExitCode::Done : ExitCode::Found;
}

Result<ExitCode> sweep(const BreakpointsVerb& verb, const Invocation& invocation) {
  if (!verb.clip_path.empty())
    return Error{"--conflicts takes a program, not a clip; type: heddle breakpoints --conflicts -- PROGRAM"};
  Result<run::RunOptions> run = make_run_options(verb.common, invocation);
  if (!run) return run.error();
  breakpoints::SweepOptions options;
  options.run = std::move(*run);
  options.runs = verb.runs;
  options.lines.insert(verb.lines.begin(), verb.lines.end());
  if (verb.pause) options.timeout_ms = verb.pause->count();
  if (verb.time) options.time = *verb.time;
  ProgressLine line(invocation.quiet);
  const Result<breakpoints::SweepReport> report =
      breakpoints::sweep_conflicts(options, [&](const auto& progress) { line.show(progress); });
  line.clear();
  if (options.run.stop.is_interrupted()) run::obey_interrupt();
  if (!report) return report.error();
  if (invocation.json)
    print_json(report::dump(report::conflicts_json(*report)));
  else
    std::fputs(report::conflicts_text(*report).c_str(), stdout);
  bool failed = false;
  for (const breakpoints::Resolution& one : report->resolutions) failed = failed || one.failed != 0;
  return failed ? ExitCode::Found : ExitCode::Done;
}

Result<ExitCode> make_breakpoints(const BreakpointsVerb& verb, const Invocation& invocation) {
  return verb.conflicts ? sweep(verb, invocation) : from_clip(verb, invocation);
}

}  // namespace

void add_breakpoints_verb(CLI::App& app, Invocation& invocation) {
  auto verb = std::make_shared<BreakpointsVerb>();
  CLI::App* command =
      app.add_subcommand("breakpoints", "Turn a clip into concurrent breakpoints that make the program fail natively");
  command->footer(
      "Example: heddle breakpoints small.clip --patch test.patch\n"
      "         heddle breakpoints --conflicts --runs 20 -- ./program\n"
      "Shrink the clip first: heddle shrink. Exit code 1: no breakpoints make the program fail in every native run.");
  add_input(*command, invocation, "CLIP", verb->clip_path, "The clip", {FileKind::Clip});
  command->add_flag("--conflicts", verb->conflicts,
                    "List the conflicts of the program after --, and try each in both orders");
  add_number_list(*command, "--lines", verb->lines, "With --conflicts: only between these lines, as 90,102");
  add_duration(*command, "--pause", verb->pause, "With --conflicts: how long a thread waits for the other [100ms]",
               Zero::Refused);
  add_output_file(*command, invocation, "-o,--out", verb->out,
                  "File for the breakpoints that libheddle_rt.so injects [CLIP with .breakpoints]");
  add_output_file(*command, invocation, "--patch", verb->patch,
                  "Write the breakpoints as a patch against the source, for patch -p1");
  add_input(*command, invocation, "--root", verb->root,
            "Source root of the patch [the working directory, or the common folder of the sources]",
            {FileKind::Directory})
      ->type_name("DIR");
  add_number(*command, "--runs", verb->runs, "Native runs that must all fail [20]", {1, 100'000});
  add_duration(*command, "--time", verb->time, "Real time for the search at most, as 30s or 5m [60s]", Zero::Refused);
  add_common_options(*command, verb->common, invocation, ProgramUse::Optional);
  set_action(*command, invocation, verb, make_breakpoints);
}

}  // namespace heddle::cli
