// heddle hunt: explores, predicts, shrinks and explains in one command.
#include <filesystem>
#include <memory>

#include "cli/clip_input.h"
#include "cli/collected_ranking.h"
#include "cli/common_options.h"
#include "cli/parsing/checked_options.h"
#include "cli/progress_line.h"
#include "cli/verb.h"
#include "cli/whole_run_export.h"
#include "hunt/hunter.h"
#include "report/findings/hunt_report.h"
#include "report/html/explain_html.h"
#include "run/interrupt.h"
#include "support/files.h"

namespace heddle::cli {
namespace {

struct HuntVerb {
  CommonOptions common;
  std::optional<std::chrono::milliseconds> time;
  std::string out = "heddle-hunt";
  std::string junit;
  std::string sarif;
  std::uint64_t seed = 1;
  unsigned jobs = 0;
  bool first = false;
  bool perfetto = false;
  std::vector<std::string> graphs;
};

Result<hunt::HuntOptions> make_options(const HuntVerb& verb, const Invocation& invocation) {
  Result<run::RunOptions> run = make_repeated_run_options(verb.common, invocation);
  if (!run) return run.error();
  hunt::HuntOptions options;
  options.run = std::move(*run);
  options.seed = verb.seed;
  options.jobs = verb.jobs;
  options.stop_at_first = verb.first;
  options.out_directory = verb.out;
  if (verb.time) options.time = *verb.time;
  return options;
}

// Writes the whole run beside the clip; the report shows only a part of it.
void write_whole_run(hunt::Bug& bug, const hunt::HuntOptions& options) {
  if (bug.clip.empty() || !bug.perfetto.empty()) return;
  const std::string path = std::filesystem::path(bug.clip).replace_extension(".perfetto.json").string();
  run::ReplayOptions replay;
  replay.stop = options.run.stop;
  replay.fails_if = options.run.fails_if;
  replay.preload = options.run.preload;
  const Result<clip::Clip> clip = read_whole_clip(bug.clip);
  const Status written = clip ? export_whole_run(*clip, replay, path) : Status(clip.error());
  if (written)
    bug.perfetto = path;
  else
    bug.problems.push_back({hunt::BugProblem::Kind::NoWholeRun, written.error().message});
}

// A progress line for each phase; the last state of a phase remains visible when the next one begins.
class PhaseLines {
 public:
  explicit PhaseLines(bool quiet) : quiet_(quiet), line_(quiet) {}

  void show(const std::string& phase, const std::string& text) {
    if (phase != phase_ && !last_.empty()) finish();
    phase_ = phase;
    last_ = phase + ": " + text;
    line_.show(last_);
  }
  void finish() {
    line_.clear();
    if (!quiet_ && !last_.empty()) say(last_);
    last_.clear();
  }

 private:
  bool quiet_;
  ProgressLine line_;
  std::string phase_, last_;
};

Result<ExitCode> hunt_bugs(const HuntVerb& verb, const Invocation& invocation) {
  const Result<hunt::HuntOptions> options = make_options(verb, invocation);
  if (!options) return options.error();
  const Result<std::vector<graph::RankedPoint>> ranking = rank_collected(verb.graphs);
  if (!ranking) return ranking.error();
  PhaseLines lines(invocation.quiet);
  hunt::HuntObserver observer;
  observer.show = [&](const hunt::HuntProgress& progress) {
    const auto [phase, text] = report::hunt_progress_text(progress);
    lines.show(phase, text);
  };
  observer.found = [&](hunt::Bug& bug) {
    lines.finish();
    if (verb.perfetto) write_whole_run(bug, *options);
    if (!bug.explanation) return;
    Result<std::string> page =
        report::write_explain_html(*bug.explanation, verb.out, {bug.shrunk, bug.also, bug.patch, *ranking});
    if (page)
      bug.report = std::move(*page);
    else
      bug.problems.push_back({hunt::BugProblem::Kind::NotWritten, page.error().message});
  };
  Result<hunt::HuntReport> found = hunt::hunt(*options, observer);
  lines.finish();
  if (!found) return found.error();
  std::string index;
  if (!found->bugs.empty()) {
    if (Status written = report::write_report_index(verb.out); !written) return written.error();
    index = verb.out + "/index.html";
  }
  if (!verb.junit.empty())
    if (Status written = write_file(verb.junit, report::hunt_junit(*found, options->run.program)); !written)
      return written.error();
  if (!verb.sarif.empty())
    if (Status written = write_file(verb.sarif, report::hunt_sarif(*found, HEDDLE_VERSION, absolute_path(".")));
        !written)
      return written.error();
  print_result(invocation, report::hunt_json(*found, index), report::hunt_text(*found, index),
               !found->bugs.empty() || found->schedules == 0);
  if (found->interrupted) run::obey_interrupt();
  if (!found->bugs.empty()) return ExitCode::Found;
  return found->schedules == 0 ? ExitCode::Uncontrolled : ExitCode::Done;  // without a run nothing is known
}

}  // namespace

void add_hunt_verb(CLI::App& app, Invocation& invocation) {
  auto verb = std::make_shared<HuntVerb>();
  CLI::App* command = app.add_subcommand("hunt", "Find the bugs of a program, and explain each of them");
  command->footer(
      "Example: heddle hunt --time 60s -- ./queue_test\n"
      "Explores and predicts; shrinks and explains each failure. The reports are in heddle-hunt/index.html.");
  add_common_options(*command, verb->common, invocation, ProgramUse::Required);
  add_duration(*command, "--time", verb->time, "Real time for searching at most, as 30s or 5m [60s]", Zero::Refused);
  add_output_directory(*command, invocation, "--out", verb->out, "Directory for reports and clips [heddle-hunt]", {},
                       "clips");
  add_output_file(*command, invocation, "--junit", verb->junit, "Write the bugs as JUnit XML");
  add_output_file(*command, invocation, "--sarif", verb->sarif, "Write the bugs as SARIF, for code-scanning viewers");
  add_inputs(*command, invocation, "--graphs", verb->graphs,
             "Graphs of many runs (heddle graph collect), whose ranking the reports show",
             {FileKind::Graph, FileKind::Directory})
      ->allow_extra_args(false);
  command->add_flag("--perfetto", verb->perfetto,
                    "Write the whole run of each bug, beside its clip, for ui.perfetto.dev");
  add_number(*command, "--seed", verb->seed, "Same seed, same schedules [1]", kAnyNumber);
  add_number(*command, "--jobs", verb->jobs, "Number of parallel runs [number of processors]", kJobsBounds);
  command->add_flag("--first", verb->first, "Stop after the first bug is found and explained");
  set_action(*command, invocation, verb, hunt_bugs);
}

}  // namespace heddle::cli
