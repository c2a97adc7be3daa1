#pragma once
// Predictions are claims; here they are executed. A prediction is confirmed when its events were seen to happen in the
// predicted order; what the run came to afterwards is the failure that it leads to, if it leads to one.
#include <chrono>
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
  Confirmed,   // it was executed
  Infeasible,  // the schedule could not be followed
  NotReached,  // it was followed, but the events did not happen as predicted
  Predicted,   // it was not tried
};
const char* status_word(ValidationStatus status);

struct Verdict {
  ValidationStatus status = ValidationStatus::Predicted;
  std::optional<run::Outcome> failure;  // that the anomaly led to
  std::string clip;                     // path; empty: none
  std::size_t missing = 0;              // not confirmed: index of the event that did not come
  std::uint32_t runs_made = 0, runs_planned = 0;
};

// A failure that came before an anomaly was complete: no proof of that, and a failure all the same.
struct FailureOnTheWay {
  std::size_t prediction = 0;
  std::size_t events_met = 0;  // of the anomaly, in their order
  run::Outcome failure;
  std::string clip;
};

// An execution whose threads took ways that are not known from elsewhere.
struct NovelRun {
  run::SessionInputs inputs;
  RunPaths paths;
};

struct ValidateOptions {
  run::RunOptions run;  // as the trace was recorded; nothing is tried once its token requests a stop
  std::string out_directory = "heddle-clips";
  unsigned jobs = 0;
  std::uint64_t seed = 1;
  std::size_t first_number = 0;  // clips are numbered from here on
  unsigned tails = 6;            // ways to go on after an anomaly, for each order of its events
  bool clips_of_benign = true;   // also of what is confirmed and leads to no failure
  std::size_t novel_max = 16;    // runs that are kept for what is new in them
};

struct Validation {
  std::vector<Verdict> verdicts;  // one for each prediction
  std::vector<FailureOnTheWay> failures;
  std::vector<NovelRun> novel;  // the newest first
};

// `known` is what the novel runs are compared with. `show` is told how many predictions are done.
Result<Validation> validate(trace::TraceReader& reader, const std::vector<predict::Prediction>& predictions,
                            const ValidateOptions& options, const KnownPaths& known,
                            const std::function<void(std::size_t)>& show);

}  // namespace heddle::validate
