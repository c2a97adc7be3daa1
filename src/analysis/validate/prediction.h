#pragma once
// The whole way from a program, or a trace of it, to what is proven of it.
#include <chrono>
#include <cstdint>
#include <functional>
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
  std::string file;    // empty: not known
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
  Verdict verdict;
  std::string diverged_at;  // infeasible: the place that was not reached
  bool is_new = true;       // not in the baseline
};

struct PredictionOptions {
  run::RunOptions run;
  std::string trace_path;  // empty: one run is recorded
  predict::PredictOptions predict;
  bool validate = true;
  ValidateOptions validation;
  IgnoreList ignore;
  std::vector<std::string> baseline;           // keys of known findings
  unsigned feedback_traces = 16;               // of executed schedules that are analysed in their turn, at most
  std::size_t executed_after_failure = 1'000;  // predictions; what is left then is not tried
  std::chrono::milliseconds time{0};           // for executing; 0: no bound
};

struct PredictionReport {
  std::uint64_t events = 0;
  std::size_t threads = 0;    // of the first trace
  std::size_t variables = 0;  // of it: locations that several threads touch and somebody writes
  double record_seconds = 0;
  double analysis_seconds = 0;  // model, candidates and schedules
  double schedule_seconds = 0;  // of that, for schedules
  double validation_seconds = 0;
  std::map<std::string, std::size_t> candidates;  // by cause kind
  std::vector<Anomaly> anomalies;
  std::size_t ignored = 0;
  std::size_t orders_tried = 0;            // that are no anomalies, for the ways that they open
  std::size_t traces_fed_back = 0;         // of executed schedules, analysed in their turn
  std::optional<run::Outcome> failed_run;  // the recorded run itself did
  clip::SourceUnits units;
  bool interrupted = false;
  std::vector<std::string> problems;

  std::size_t count(ValidationStatus status) const;
  std::size_t failing() const;
};

// A prediction for people; without a verdict.
Anomaly describe(const predict::Prediction& prediction, const trace::TraceTables& tables);

// The identity of a finding between runs: kind, pattern and lines.
std::string key_of(const Anomaly& anomaly);

Result<PredictionReport> predict_program(const PredictionOptions& options, const experiment::ShowProgress& show);

}  // namespace heddle::validate
