// heddle run: one controlled execution.
#include <memory>

#include "cli/common_options.h"
#include "cli/parsing/checked_options.h"
#include "cli/recording_options.h"
#include "cli/verb.h"
#include "clip/clip_writer.h"
#include "report/findings/source_units_report.h"
#include "report/run_json.h"
#include "report/run_text.h"
#include "run/arming.h"
#include "run/interrupt.h"
#include "run/replay/clip_builder.h"
#include "run/runner.h"
#include "support/closest_word.h"
#include "support/counted.h"
#include "support/files.h"

namespace heddle::cli {
namespace {

struct RunVerb {
  CommonOptions common;
  std::string strategy = "random";
  std::uint64_t seed = 1;
  std::uint64_t quantum = 0;
  RecordingOptions recording;
  std::string clip_path;
  std::string arm = "all";
  std::string save_arm_path;
  bool native = false;
};

// The command that repeats the run and keeps it as a clip.
std::string repeat_command(const RunVerb& verb, const Invocation& invocation) {
  std::vector<std::string> words = {"heddle", "run", "--strategy", verb.strategy, "--seed", std::to_string(verb.seed)};
  const auto add = [&](const char* option, const std::string& value) {
    if (!value.empty()) words.insert(words.end(), {option, value});
  };
  if (verb.quantum != 0) add("--quantum", std::to_string(verb.quantum));
  if (verb.arm != "all") add("--arm", verb.arm);
  add("--engine", verb.common.engine);
  add("--stdin", verb.common.stdin_file);
  add("--cwd", verb.common.working_directory);
  add("--fails-if", verb.common.fails_if);
  add("--driver", verb.common.driver);
  for (const std::string& assignment : verb.common.environment) add("--env", assignment);
  if (verb.common.spurious_wakeups) words.emplace_back("--spurious-wakeups");
  if (verb.common.preload) words.emplace_back("--preload");
  words.insert(words.end(), {"--clip", "failure.clip", "--"});
  words.insert(words.end(), invocation.program.begin(), invocation.program.end());
  return report::command_text(words);
}

// First line of a file that lists the disarmed sites; without it the file lists the armed sites.
constexpr std::string_view kAllBut = "# all but";

Status save_arming(const std::string& path, const run::RunOptions& options) {
  std::string text;
  if (options.arm_mode != format::ArmMode::Only) (text += kAllBut) += '\n';
  for (const std::string& name : options.armed) (text += name) += '\n';
  return write_file(path, text);
}

Status set_arming(const std::string& arm, run::RunOptions& options) {
  if (arm == "all" || arm == "shared") return ok_status();
  if (arm == "none") {
    options.arm_mode = format::ArmMode::None;
    return ok_status();
  }
  const std::vector<std::string> meant = closest_words(arm, {"all", "none", "shared"});
  if (kind_of_file(arm) == FileKind::Unread && !meant.empty())
    return Error{"--arm " + arm + " is not possible; did you mean " + alternatives_text(meant) + "?"};
  const Status text = check_kind(arm, {FileKind::Text, FileKind::Empty});
  const Result<std::string> list = text ? read_file(arm) : Result<std::string>(text.error());
  if (!list) return Error{"--arm takes all, none, shared or a file of site names; " + list.error().message};
  options.arm_mode = format::ArmMode::Only;
  std::size_t at = 0;
  while (at < list->size()) {
    const std::size_t end = std::min(list->find('\n', at), list->size());
    const std::string line = list->substr(at, end - at);
    if (at == 0 && line == kAllBut)
      options.arm_mode = format::ArmMode::AllBut;
    else if (!line.empty())
      options.armed.push_back(line);
    at = end + 1;
  }
  return ok_status();
}

Status check_options(const RunVerb& verb) {
  if (!verb.save_arm_path.empty() && verb.arm != "shared")
    return Error{"--save-arm saves the result of --arm shared; add --arm shared"};
  if (verb.native && !verb.clip_path.empty()) return Error{"a --native run has no schedule; leave out --clip"};
  return ok_status();
}

Result<ExitCode> run_program(const RunVerb& verb, const Invocation& invocation) {
  Result<run::RunOptions> options = make_run_options(verb.common, invocation);
  if (!options) return options.error();
  run::parse_strategy(verb.strategy, options->strategy);
  options->seed = verb.seed;
  options->quantum = verb.quantum;
  options->record_path = verb.recording.path;
  options->record_values = verb.recording.values;
  options->record_flow = verb.recording.flow;
  options->native = verb.native;
  if (Status sound = check_options(verb); !sound) return sound.error();
  if (Status sound = check_recording(verb.recording, options->program); !sound) return sound.error();
  if (Status armed = set_arming(verb.arm, *options); !armed) return armed.error();

  run::Runner runner;
  if (verb.arm == "shared") {
    const Result<std::size_t> disarmed = run::arm_shared_sites(*options, runner);
    if (!disarmed) return disarmed.error();
    if (!invocation.quiet)
      say(counted(*disarmed, "site") + " disarmed, because only private memory was accessed there");
    if (!verb.save_arm_path.empty())
      if (Status saved = save_arming(verb.save_arm_path, *options); !saved) return saved.error();
  }
  Result<run::RunReport> report = runner.run(*options);
  if (!report) return report.error();

  const bool keep_clip = !verb.clip_path.empty() && !report->outcome.uncontrolled();
  if (keep_clip) {
    clip::Clip clip = run::build_clip(*options, *report);
    if (!report->interrupted) {
      for (std::string& problem : run::annotate_clip(clip, *options, runner)) {
        report->problems.push_back(std::move(problem));
      }
    }
    if (Status written = clip::write_clip(clip, verb.clip_path); !written) return written.error();
  }

  const bool failed = report->outcome.failed();
  const clip::SourceUnits units = clip::read_source_units(report->modules);
  if (invocation.json) {
    print_json(report::dump(report::run_json(*options, *report, units, keep_clip ? verb.clip_path : "")));
  } else if (failed || !invocation.quiet) {
    say(report::run_text(*report));
    if (!invocation.quiet) say(report::uninstrumented_text(*report));
    if (!failed) say(report::ndebug_text(units));
    if (options->preload)
      say("controlled at its synchronisation only: accesses to memory are not observed; for full control build it with "
          "heddle-c++");
    if (keep_clip) {
      say("the clip is in " + verb.clip_path +
          "; replay it with: " + report::command_text({"heddle", "replay", verb.clip_path}));
    } else if (failed && !verb.native && !report->outcome.uncontrolled()) {
      say("keep it as a clip with: " + repeat_command(verb, invocation));
    }
  }
  if (report->interrupted) run::obey_interrupt();
  if (report->outcome.uncontrolled()) return ExitCode::Uncontrolled;
  return failed ? ExitCode::Found : ExitCode::Done;
}

}  // namespace

void add_run_verb(CLI::App& app, Invocation& invocation) {
  auto verb = std::make_shared<RunVerb>();
  CLI::App* command = app.add_subcommand("run", "Run a program once under control");
  command->footer("Example: heddle run --strategy random --seed 7 --clip failure.clip -- ./bank 3 100");
  add_common_options(*command, verb->common, invocation, ProgramUse::Required);
  add_choice(*command, "--strategy", verb->strategy, "How the next thread is chosen [random]",
             {"sequential", "reverse", "sequential-random", "round-robin", "random", "pct", "pos"});
  add_number(*command, "--seed", verb->seed, "Same seed, same run [1]", kAnyNumber);
  add_number(*command, "--quantum", verb->quantum,
             "Points between two switches: exact for round-robin, the average for random");
  add_recording_options(*command, verb->recording, invocation, "Write a trace of all events (.htrace)");
  add_output_file(*command, invocation, "--clip", verb->clip_path, "Write a clip that reproduces this run (.clip)");
  command
      ->add_option("--arm", verb->arm,
                   "Armed sites, where the scheduler may switch: all, none, shared (a first run finds the shared "
                   "accesses), or a file of site names [all]")
      ->type_name("all|none|shared|FILE");
  add_output_file(*command, invocation, "--save-arm", verb->save_arm_path,
                  "With --arm shared: save the armed sites to a file, for --arm FILE");
  command->add_flag("--native", verb->native, "Run the instrumented program without control");
  set_action(*command, invocation, verb, run_program);
}

}  // namespace heddle::cli
