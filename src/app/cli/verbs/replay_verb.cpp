// heddle replay: runs a clip again and compares the outcome.
#include <memory>

#include "cli/clip_input.h"
#include "cli/common_options.h"
#include "cli/parsing/checked_options.h"
#include "cli/recording_options.h"
#include "cli/verb.h"
#include "clip/module_identity.h"
#include "report/run_json.h"
#include "report/run_text.h"
#include "run/interrupt.h"
#include "run/replay/replayer.h"

namespace heddle::cli {
namespace {

struct ReplayVerb {
  CommonOptions common;
  std::string clip_path;
  int times = 1;
  RecordingOptions recording;
  std::string expect = "reproduced";
};

Result<ExitCode> replay_clip(const ReplayVerb& verb, const Invocation& invocation) {
  Result<run::ReplayOptions> options = make_replay_options(verb.common, invocation);
  if (!options) return options.error();
  options->times = verb.times;
  options->record_path = verb.recording.path;
  options->record_values = verb.recording.values;
  options->record_flow = verb.recording.flow;
  const Result<clip::Clip> clip = read_whole_clip(verb.clip_path);
  if (!clip) return clip.error();
  const std::string& program = options->program.empty() ? clip->head.program : options->program;
  if (Status sound = check_recording(verb.recording, program); !sound) return sound.error();

  const std::vector<std::string> foreign_parts = clip::find_foreign_parts(clip->head);
  if (!invocation.quiet) {
    for (const std::string& part : foreign_parts) say("differs from the machine or build of the clip: " + part);
  }
  run::Runner runner;
  Result<run::ReplayReport> report = run::replay(*clip, *options, runner);
  if (!report) return report.error();
  report->problems.insert(report->problems.end(), foreign_parts.begin(), foreign_parts.end());

  print_result(invocation, report::replay_json(*report), report::replay_text(*report),
               report->verdict != run::Verdict::Reproduced);
  if (report->last.interrupted) run::obey_interrupt();
  if (verb.expect == run::verdict_word(report->verdict)) return ExitCode::Done;
  const bool lost_control = report->exact ? report->last.divergence.has_value()
                                          : report->last.outcome.kind == format::OutcomeKind::Uncontrolled;
  return lost_control ? ExitCode::Uncontrolled : ExitCode::Found;
}

}  // namespace

void add_replay_verb(CLI::App& app, Invocation& invocation) {
  auto verb = std::make_shared<ReplayVerb>();
  CLI::App* command = app.add_subcommand("replay", "Run a clip again and say whether it still fails");
  command->footer(
      "Example: heddle replay --times 100 failure.clip\n"
      "         heddle replay --expect fixed failure.clip -- ./bank_repaired 3 100");
  add_input(*command, invocation, "CLIP", verb->clip_path, "The clip", {FileKind::Clip})->required();
  add_common_options(*command, verb->common, invocation, ProgramUse::Optional);
  add_number(*command, "--times", verb->times, "Number of runs [1]", {1, 1'000'000'000});
  add_recording_options(*command, verb->recording, invocation, "Write a trace of the first run (.htrace)");
  add_choice(*command, "--expect", verb->expect, "The verdict for exit code 0: reproduced or fixed [reproduced]",
             {"reproduced", "fixed"});
  set_action(*command, invocation, verb, replay_clip);
}

}  // namespace heddle::cli
