// heddle predict: from one passing run to proven anomalies.
#include <fstream>
#include <limits>
#include <memory>
#include <sstream>

#include "cli/common_options.h"
#include "cli/parsing/checked_options.h"
#include "cli/progress_line.h"
#include "cli/verb.h"
#include "report/findings/predict_report.h"
#include "run/interrupt.h"
#include "support/files.h"
#include "validate/prediction.h"

namespace heddle::cli {
namespace {

constexpr const char* kIgnoreFile = "heddle.ignore";

struct PredictVerb {
  CommonOptions common;
  std::string trace;
  std::string patterns;
  std::string units;
  std::string out = "heddle-clips";
  bool no_validate = false;
  bool all = false;
  bool exhaustive = false;
  std::string ignore;
  std::string baseline;
  std::string save_baseline;
  std::string error_on = "failure";
  std::optional<std::chrono::milliseconds> time;
  unsigned jobs = 0;
  std::uint64_t seed = 1;
};

Result<std::vector<std::string>> read_lines(const std::string& path) {
  Result<std::string> text = read_file(path);
  if (!text) return text.error();
  std::vector<std::string> lines;
  std::istringstream stream(*text);
  for (std::string line; std::getline(stream, line);)
    if (!line.empty() && line[0] != '#') lines.push_back(line);
  return lines;
}

Status parse_units(const std::string& text, predict::PredictOptions& options) {
  if (text.empty()) return ok_status();
  options.unit_kinds = 0;
  std::istringstream words(text);
  for (std::string word; std::getline(words, word, ',');) {
    unsigned bit = 0;
    for (unsigned kind = 0; kind < predict::kUnitKinds; ++kind)
      if (word == predict::unit_kind_word(static_cast<predict::UnitKind>(kind))) bit = 1u << kind;
    if (bit == 0) {
      std::string known;
      for (unsigned kind = 0; kind < predict::kUnitKinds; ++kind)
        known += (kind == 0 ? "" : ", ") + std::string(predict::unit_kind_word(static_cast<predict::UnitKind>(kind)));
      return Error{"--units: unknown unit '" + word + "'; take some of " + known};
    }
    options.unit_kinds |= bit;
  }
  return ok_status();
}

Status read_ignore_list(const PredictVerb& verb, validate::PredictionOptions& options) {
  std::string path = verb.ignore;
  if (path.empty()) {
    if (!check_readable_file(kIgnoreFile)) return ok_status();
    path = kIgnoreFile;
  }
  const Result<std::string> text = read_file(path);
  if (!text) return text.error();
  Result<validate::IgnoreList> list = validate::IgnoreList::parse(*text, path);
  if (!list) return list.error();
  options.ignore = std::move(*list);
  return ok_status();
}

Result<validate::PredictionOptions> make_options(const PredictVerb& verb, const Invocation& invocation) {
  validate::PredictionOptions options;
  if (verb.trace.empty() || invocation.has_program) {
    Result<run::RunOptions> run = make_run_options(verb.common, invocation);
    if (!run) return run.error();
    options.run = std::move(*run);
  }
  options.trace_path = verb.trace;
  if (verb.exhaustive) {
    options.predict.candidates.candidates_max = options.executed_after_failure =
        std::numeric_limits<std::size_t>::max();
    options.feedback_traces = std::numeric_limits<unsigned>::max();
  }
  options.validate = !verb.no_validate && invocation.has_program && !verb.trace.ends_with(".std");
  if (!verb.patterns.empty()) {
    const Result<std::string> text = read_file(verb.patterns);
    if (!text) return text.error();
    Result<std::vector<predict::AnomalyPattern>> patterns = predict::parse_patterns(*text, verb.patterns);
    if (!patterns) return patterns.error();
    options.predict.patterns = std::move(*patterns);
  }
  if (Status parsed = parse_units(verb.units, options.predict); !parsed) return parsed.error();
  if (Status parsed = read_ignore_list(verb, options); !parsed) return parsed.error();
  if (!verb.baseline.empty()) {
    Result<std::vector<std::string>> known = read_lines(verb.baseline);
    if (!known) return known.error();
    options.baseline = std::move(*known);
  }
  if (verb.time) options.time = *verb.time;
  options.validation.out_directory = verb.out;
  options.validation.jobs = verb.jobs;
  options.validation.seed = verb.seed;
  return options;
}

Status save_baseline(const std::string& path, const validate::PredictionReport& report) {
  std::string text = "# Known findings of heddle predict: only others count.\n";
  for (const validate::Anomaly& anomaly : report.anomalies)
    if (anomaly.verdict.status == validate::ValidationStatus::Confirmed) text += validate::key_of(anomaly) + "\n";
  return write_file(path, text);
}

bool counts_as_error(const validate::Anomaly& anomaly, bool on_anomaly) {
  if (!anomaly.is_new) return false;
  return anomaly.verdict.failure.has_value() ||
         (on_anomaly && anomaly.verdict.status == validate::ValidationStatus::Confirmed);
}

Result<ExitCode> predict_anomalies(const PredictVerb& verb, const Invocation& invocation) {
  const Result<validate::PredictionOptions> options = make_options(verb, invocation);
  if (!options) return options.error();
  ProgressLine line(invocation.quiet);
  const Result<validate::PredictionReport> report =
      validate::predict_program(*options, [&](const auto& progress) { line.show(progress); });
  line.clear();
  if (!report) return report.error();
  if (!verb.save_baseline.empty())
    if (Status saved = save_baseline(verb.save_baseline, *report); !saved) return saved.error();
  print_result(invocation, report::predict_json(*report, verb.all), report::predict_text(*report, verb.all), true);
  if (report->interrupted) run::obey_interrupt();
  const bool found = report->failed_run || std::any_of(report->anomalies.begin(), report->anomalies.end(),
                                                       [&](const validate::Anomaly& anomaly) {
                                                         return counts_as_error(anomaly, verb.error_on == "anomaly");
                                                       });
  return found ? ExitCode::Found : ExitCode::Done;
}

}  // namespace

void add_predict_verb(CLI::App& app, Invocation& invocation) {
  auto verb = std::make_shared<PredictVerb>();
  CLI::App* command =
      app.add_subcommand("predict", "Find races, atomicity violations and deadlocks in one run, and prove them");
  command->footer(
      "Example: heddle predict -- ./bank 2 10\n"
      "Records one run, predicts the anomalies of other orders of its events, executes each, and reports those that "
      "happened.");
  add_common_options(*command, verb->common, invocation, ProgramUse::Optional);
  const std::vector<FileKind> text = {FileKind::Text, FileKind::Empty};
  add_input(*command, invocation, "--trace", verb->trace,
            "Analyse this trace (.htrace or .std) instead of recording a run", {FileKind::Trace, FileKind::StdTrace});
  add_input(*command, invocation, "--patterns", verb->patterns,
            "File with additional patterns; see docs/user/patterns.md", text);
  command->add_option("--units", verb->units, "Units of work that are meant to be atomic, separated by commas [all]")
      ->type_name("UNIT,UNIT");
  add_output_directory(*command, invocation, "--out", verb->out, "Directory for the clips [heddle-clips]",
                       [verb] { return !verb->no_validate; });
  command->add_flag("--no-validate", verb->no_validate, "Do not execute the predictions");
  command->add_flag("--exhaustive", verb->exhaustive,
                    "Execute all predictions, without a limit, and also after the first failure");
  command->add_flag("--all", verb->all, "Also show predictions that were not confirmed");
  add_input(*command, invocation, "--ignore", verb->ignore, "File of findings to ignore [heddle.ignore, if it exists]",
            text);
  add_input(*command, invocation, "--baseline", verb->baseline,
            "File of known findings, which do not cause exit code 1", text);
  add_output_file(*command, invocation, "--save-baseline", verb->save_baseline,
                  "Write the findings of this run as a baseline");
  add_choice(*command, "--error-on", verb->error_on,
             "Exit with 1 for: failure (an anomaly that leads to one), anomaly [failure]", {"failure", "anomaly"});
  add_duration(*command, "--time", verb->time, "Real time for executing at most, as 30s or 5m; 0: no limit",
               Zero::NoBound);
  add_number(*command, "--jobs", verb->jobs, "Number of parallel runs [number of processors]", kJobsBounds);
  add_number(*command, "--seed", verb->seed, "Seed of the schedules after an anomaly [1]", kAnyNumber);
  set_action(*command, invocation, verb, predict_anomalies);
}

}  // namespace heddle::cli
