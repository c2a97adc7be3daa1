// heddle check: is a program deterministic under control?
#include <cstdio>
#include <memory>

#include "cli/common_options.h"
#include "cli/parsing/checked_options.h"
#include "cli/verb.h"
#include "experiment/determinism.h"
#include "report/run_json.h"
#include "report/run_text.h"
#include "run/interrupt.h"
#include "support/counted.h"

namespace heddle::cli {
namespace {

using report::Json;

struct CheckVerb {
  CommonOptions common;
  std::string strategy = "random";
  std::uint64_t seed = 1;
  std::uint64_t quantum = 0;
};

Json side_json(const experiment::DifferingEvent& event) {
  if (event.text.empty()) return nullptr;
  return {{"event", event.text},
          {"thread", event.thread},
          {"place", event.place},
          {"stack", report::stack_json(event.stack)}};
}

Json difference_json(const std::optional<experiment::FirstDifference>& difference) {
  if (!difference) return nullptr;
  return {{"step", difference->step},
          {"fields", difference->fields},
          {"first", side_json(difference->first)},
          {"second", side_json(difference->second)},
          {"before", difference->before}};
}

std::string difference_text(const experiment::FirstDifference& difference) {
  std::string text = "not deterministic: the runs differ at event " + std::to_string(difference.step) + ", in";
  for (const std::string& field : difference.fields) text += " " + field;
  text += "\n";
  for (const std::string& event : difference.before) text += "    both:   " + event + "\n";
  const auto side = [](const experiment::DifferingEvent& event) {
    return event.text.empty() ? "(the run has ended)\n"
                              : event.text + "\n" + report::stack_text(event.stack, "            ");
  };
  return text + "    first:  " + side(difference.first) + "    second: " + side(difference.second);
}

Result<ExitCode> check_program(const CheckVerb& verb, const Invocation& invocation) {
  Result<run::RunOptions> options = make_run_options(verb.common, invocation);
  if (!options) return options.error();
  run::parse_strategy(verb.strategy, options->strategy);
  options->seed = verb.seed;
  options->quantum = verb.quantum;
  run::Runner runner;
  const Result<experiment::DeterminismReport> report = experiment::check_determinism(*options, runner);
  if (!report) return report.error();
  if (report->first.interrupted || report->second.interrupted) run::obey_interrupt();
  for (const run::RunReport* side : {&report->first, &report->second}) {
    if (side->outcome.uncontrolled()) return Error{side->outcome.message, ExitCode::Uncontrolled};
  }

  if (invocation.json) {
    Json json;
    json["deterministic"] = report->deterministic();
    json["first_difference"] = difference_json(report->difference);
    json["events"] = report->first.events;
    json["event_hashes"] = {report::hash_text(report->first.event_hash), report::hash_text(report->second.event_hash)};
    json["outcomes"] = {report::outcome_json(report->first.outcome), report::outcome_json(report->second.outcome)};
    print_json(report::dump(json));
  } else if (!report->deterministic()) {
    say(difference_text(*report->difference));
  } else if (!invocation.quiet) {
    say("deterministic: both runs made the same " + counted(report->first.events, "step") + ", event hash " +
        report::hash_text(report->first.event_hash) +
        ", and have the same outcome: " + report->first.outcome.signature);
  }
  return report->deterministic() ? ExitCode::Done : ExitCode::Found;
}

}  // namespace

void add_check_verb(CLI::App& app, Invocation& invocation) {
  auto verb = std::make_shared<CheckVerb>();
  CLI::App* command = app.add_subcommand("check", "Run a program twice under one seed and compare");
  command->footer("Example: heddle check --seed 7 -- ./bank 3 100");
  add_common_options(*command, verb->common, invocation, ProgramUse::Required);
  add_choice(*command, "--strategy", verb->strategy, "As for heddle run [random]",
             {"sequential", "reverse", "sequential-random", "round-robin", "random"});
  add_number(*command, "--seed", verb->seed, "Same seed, same run [1]", kAnyNumber);
  add_number(*command, "--quantum", verb->quantum, "As for heddle run");
  set_action(*command, invocation, verb, check_program);
}

}  // namespace heddle::cli
