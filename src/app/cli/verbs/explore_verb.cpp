// heddle explore: runs a program under many schedules.
#include <fmt/format.h>
#include <unistd.h>

#include <cstdio>
#include <memory>

#include "cli/parsing/checked_options.h"
#include "cli/progress_line.h"
#include "cli/search_options.h"
#include "cli/verb.h"
#include "explore/explorer.h"
#include "report/findings/explore_report.h"
#include "run/interrupt.h"
#include "support/counted.h"

namespace heddle::cli {
namespace {

struct ExploreVerb {
  CommonOptions common;
  SearchOptions search;
  bool keep_going = false;
  std::optional<std::uint32_t> bound;
  bool no_prune = false;
  bool no_checkpoints = false;
  bool in_process = false;
  std::string arm = "shared";
};

Result<explore::ExploreOptions> make_options(const ExploreVerb& verb, const Invocation& invocation) {
  Result<explore::ExploreOptions> options =
      make_explore_options(verb.search, verb.common, invocation, explore::ExploreOptions{}.runs);
  if (!options) return options;
  options->keep_going = verb.keep_going;
  options->prune = !verb.no_prune;
  options->checkpoints = !verb.no_checkpoints;
  options->arm_all = verb.arm == "all";
  if (verb.bound) options->bound_max = *verb.bound;
  if (verb.search.time) options->time = *verb.search.time;
  return options;
}

std::string progress_text(const explore::Progress& progress) {
  const double rate = progress.seconds > 0 ? static_cast<double>(progress.schedules) / progress.seconds : 0;
  std::string text = progress.schedules_max == ~std::uint64_t{0}
                         ? fmt::format("{}", counted(progress.schedules, "schedule"))
                         : fmt::format("{} {} of {}", progress_bar(progress.schedules, progress.schedules_max),
                                       progress.schedules, progress.schedules_max);
  text += fmt::format(", {:.0f}/s, {} distinct, {}, {}", rate, progress.distinct_schedules,
                      counted(progress.covered_pairs, "pair"), counted(progress.failures, "failure"));
  if (progress.bound_completed) text += fmt::format(", all with <= {} preemptions", *progress.bound_completed);
  return text;
}

Result<ExitCode> explore_program(const ExploreVerb& verb, const Invocation& invocation) {
  Result<explore::ExploreOptions> options = make_options(verb, invocation);
  if (!options) return options.error();
  if (!invocation.quiet) say("seed " + std::to_string(options->seed) + ", strategy " + verb.search.strategy);
  ProgressLine line(invocation.quiet);
  const Result<explore::ExploreReport> report =
      explore::explore(*options, [&](const explore::Progress& progress) { line.show(progress_text(progress)); });
  line.clear();
  if (!report) return report.error();
  print_result(invocation, report::explore_json(*report), report::explore_text(*report),
               !report->failures.empty() || report->schedules == 0);
  if (report->interrupted) run::obey_interrupt();
  if (!report->failures.empty()) return ExitCode::Found;
  return report->schedules == 0 ? ExitCode::Uncontrolled : ExitCode::Done;  // without a run nothing is known
}

}  // namespace

void add_explore_verb(CLI::App& app, Invocation& invocation) {
  auto verb = std::make_shared<ExploreVerb>();
  CLI::App* command = app.add_subcommand("explore", "Run a program under many schedules until it fails");
  command->footer(
      "Example: heddle explore --time 30s -- ./queue_test\n"
      "The same seed gives the same schedules. Each failure leaves a clip for heddle replay.");
  add_common_options(*command, verb->common, invocation, ProgramUse::Required);
  add_search_options(*command, verb->search,
                     {"Same seed, same schedules [1]", "Schedules at most [10000, or no limit with --time]",
                      "Real time at most, as 30s or 5m; 0: no limit",
                      "Repeat bodies that use heddle/schedules.h inside the process: many times faster"});
  command->add_flag("--keep-going", verb->keep_going, "Continue after a failure; failures are grouped by signature");
  add_output_directory(*command, invocation, "--out", verb->search.out, "Directory for the clips [heddle-clips]");
  add_number(*command, "--bound", verb->bound, "Systematic: maximal number of preemptions or delays", kAnyNumber);
  command->add_flag("--no-prune", verb->no_prune, "Systematic: run equivalent schedules too");
  command->add_flag("--no-checkpoints", verb->no_checkpoints, "Systematic: run every schedule from the start");
  add_choice(
      *command, "--arm", verb->arm,
      "Accesses at which switches may happen, besides synchronisation: shared (found in a first run), all [shared]",
      {"shared", "all"});
  set_action(*command, invocation, verb, explore_program);
}

}  // namespace heddle::cli
