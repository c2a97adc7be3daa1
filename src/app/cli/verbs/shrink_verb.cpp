// heddle shrink: the smallest execution with the same bug.
#include <fmt/format.h>

#include <memory>

#include "cli/clip_input.h"
#include "cli/common_options.h"
#include "cli/parsing/checked_options.h"
#include "cli/progress_line.h"
#include "cli/verb.h"
#include "report/failure/shrink_report.h"
#include "run/interrupt.h"
#include "shrink/shrinker.h"
#include "support/counted.h"
#include "support/files.h"

namespace heddle::cli {
namespace {

struct ShrinkVerb {
  CommonOptions common;
  std::string clip_path;
  std::string out;
  std::optional<std::chrono::milliseconds> time;
};

Result<shrink::ShrinkOptions> make_options(const ShrinkVerb& verb, const Invocation& invocation) {
  Result<run::ReplayOptions> replay = make_replay_options(verb.common, invocation);
  if (!replay) return replay.error();
  shrink::ShrinkOptions options;
  options.replay = std::move(*replay);
  options.out_path = verb.out;
  if (verb.time) options.time = *verb.time;
  return options;
}

std::string progress_text(const shrink::Progress& progress) {
  return fmt::format("{}: round {}, {}, {}, {}, {} left", progress.phase, progress.rounds,
                     counted(progress.size.threads, "thread"), counted(progress.size.preemptions, "preemption"),
                     counted(progress.size.switches, "switch"), counted(progress.size.events, "event"));
}

Result<ExitCode> shrink_clip(const ShrinkVerb& verb, const Invocation& invocation) {
  const Result<shrink::ShrinkOptions> options = make_options(verb, invocation);
  if (!options) return options.error();
  const Result<clip::Clip> clip = read_whole_clip(verb.clip_path);
  if (!clip) return clip.error();
  ProgressLine line(invocation.quiet);
  line.show(experiment::Progress{experiment::Activity::ReplayingClip});
  const Result<shrink::ShrinkReport> report =
      shrink::shrink(*clip, *options, [&](const shrink::Progress& progress) { line.show(progress_text(progress)); });
  line.clear();
  if (!report) return report.error();
  const bool written = report->end == shrink::ShrinkReport::End::Written;
  print_result(invocation, report::shrink_json(*report), report::shrink_text(*report), !written);
  if (report->interrupted) run::obey_interrupt();
  return written ? ExitCode::Done : ExitCode::Found;
}

}  // namespace

void add_shrink_verb(CLI::App& app, Invocation& invocation) {
  auto verb = std::make_shared<ShrinkVerb>();
  CLI::App* command = app.add_subcommand("shrink", "Make a failing clip smaller: fewer threads, fewer preemptions");
  command->footer(
      "Example: heddle shrink failure.clip -o small.clip\n"
      "The smaller clip has the same bug, by its signature. Exit code 1: the clip does not fail, or fails in every "
      "order of its threads.");
  add_input(*command, invocation, "CLIP", verb->clip_path, "The clip", {FileKind::Clip})->required();
  add_output_file(*command, invocation, "-o,--out", verb->out, "File for the smaller clip")->required();
  add_duration(*command, "--time", verb->time,
               "Real time at most, as 30s or 5m, then the smallest clip so far is written; 0: no limit", Zero::NoBound);
  add_common_options(*command, verb->common, invocation, ProgramUse::Optional);
  set_action(*command, invocation, verb, shrink_clip);
}

}  // namespace heddle::cli
