#pragma once
// From a program, or a trace of it, to predicted and executed anomalies.
#include <chrono>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "clip/source_units.h"
#include "experiment/progress.h"
#include "predict/predictor.h"
#include "run/run_options.h"
#include "run/verdict/outcome.h"
#include "support/result.h"
#include "validate/ignore_list.h"
#include "validate/validator.h"

namespace heddle::validate {

struct AnomalyAccess {
  std::string thread;  // descent name
  std::string file;    // empty: unknown
  std::uint32_t line = 0;
  std::string function;
  std::string access;  // "read", "write", "lock" ...
};

struct Anomaly {
  predict::AnomalyKind kind = predict::AnomalyKind::DataRace;
  std::string pattern;
  std::string unit;  // empty: none
  predict::RaceKind race = predict::RaceKind::Plain;
  predict::WitnessStrength strength = predict::WitnessStrength::Strict;
  std::vector<AnomalyAccess> accesses;
  ValidationResult verdict;
  std::string diverged_at;  // not confirmed: location of the first event that did not happen
  bool is_new = true;       // not in the baseline
};

struct PredictionOptions {
  run::RunOptions run;
  std::string trace_path;  // empty: record one run
  predict::PredictOptions predict;
  bool validate = true;
  ValidateOptions validation;
  IgnoreList ignore;
  std::vector<std::string> baseline;           // keys of known findings
  unsigned feedback_traces = 16;               // executed schedules that are recorded and analysed
  std::size_t executed_after_failure = 1'000;  // predictions executed after the first failure
  std::chrono::milliseconds time{0};           // for execution; 0: no limit
};

struct PredictionReport {
  std::uint64_t events = 0;
  std::size_t threads = 0;    // of the first trace
  std::size_t variables = 0;  // of the first trace: locations that several threads touch and at least one writes
  double record_seconds = 0;
  double analysis_seconds = 0;  // model, candidates and schedules
  double schedule_seconds = 0;  // part of analysis_seconds
  double validation_seconds = 0;
  std::map<std::string, std::size_t> candidates;  // by cause kind
  std::vector<Anomaly> anomalies;
  std::size_t ignored = 0;
  std::size_t orders_tried = 0;            // executed for their new paths; not anomalies
  std::size_t traces_fed_back = 0;         // executed schedules that were recorded and analysed
  std::optional<run::Outcome> failed_run;  // the recorded run, if it failed
  clip::SourceUnits units;
  bool interrupted = false;
  std::vector<std::string> problems;

  std::size_t count(ValidationStatus status) const;
  std::size_t failing() const;
};

// The anomaly of a prediction, with source locations and without a verdict.
Anomaly describe(const predict::Prediction& prediction, const trace::TraceTables& tables);

// Identifies a finding across runs: kind, pattern and lines.
std::string key_of(const Anomaly& anomaly);

Result<PredictionReport> predict_program(const PredictionOptions& options, const experiment::ShowProgress& show);

}  // namespace heddle::validate
