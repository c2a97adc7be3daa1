#pragma once
// Executes predictions. A prediction is confirmed if its events happen in the predicted order; if the run then fails,
// that is the failure it leads to.
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "predict/predictor.h"
#include "run/process/session_memory.h"
#include "run/run_options.h"
#include "run/verdict/outcome.h"
#include "support/result.h"
#include "trace/file/trace_reader.h"
#include "validate/run_paths.h"

namespace heddle::validate {

enum class ValidationStatus : std::uint8_t {
  Confirmed,   // executed
  Infeasible,  // the schedule could not be followed
  NotReached,  // followed, but the events did not happen as predicted
  Predicted,   // not tried
};
const char* status_word(ValidationStatus status);

struct ValidationResult {
  ValidationStatus status = ValidationStatus::Predicted;
  std::optional<run::Outcome> failure;  // after the anomaly
  bool early_timeout = false;           // the failure needs a time-out that fires although another thread can run
  std::string clip;                     // path; empty: none
  std::size_t missing = 0;              // not confirmed: index of the first event that did not happen
};

// A failure before an anomaly was complete. It does not prove the anomaly, but is a finding of its own.
struct EarlyFailure {
  std::size_t prediction = 0;
  std::size_t events_met = 0;  // of the anomaly, in their order
  run::Outcome failure;
  std::string clip;
};

// An execution with new paths of its threads.
struct NovelRun {
  run::SessionInputs inputs;
  RunPaths paths;
};

// Sets the options of every run that is recorded or executed here: all sites armed, no output, no input from ours.
void arm_all_and_discard_output(run::RunOptions& options);

struct ValidateOptions {
  run::RunOptions run;  // of the recording; its stop token ends the validation
  std::string out_directory = "heddle-clips";
  unsigned jobs = 0;
  std::uint64_t seed = 1;
  std::size_t first_number = 0;  // of the first clip
  unsigned tails = 6;            // random continuations after an anomaly, for each order of its events
  bool clips_of_benign = true;   // also clips of confirmed anomalies without a failure
  std::size_t novel_max = 16;    // runs kept for their new paths
};

struct Validation {
  std::vector<ValidationResult> results;  // one for each prediction
  std::vector<EarlyFailure> failures;
  std::vector<NovelRun> novel;  // the most novel first
};

// `known`: the paths that are not novel. `show` receives the number of finished predictions.
Result<Validation> validate(trace::TraceReader& reader, const std::vector<predict::Prediction>& predictions,
                            const ValidateOptions& options, const KnownPaths& known,
                            const std::function<void(std::size_t)>& show);

}  // namespace heddle::validate
