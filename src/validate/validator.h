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
#include "run/outcome.h"
#include "run/run_options.h"
#include "support/result.h"
#include "trace/trace_reader.h"

namespace heddle::validate {

enum class Standing : std::uint8_t {
  Confirmed,   // it was executed
  Infeasible,  // the schedule could not be followed
  NotReached,  // it was followed, but the events did not happen as predicted
  Predicted,   // it was not tried
};
const char* standing_word(Standing standing);

struct Verdict {
  Standing status = Standing::Predicted;
  std::optional<run::Outcome> failure;  // that the anomaly led to
  std::string clip;                     // path; empty: none
  std::size_t missing = 0;              // not confirmed: index of the event that did not come
  std::uint32_t runs_made = 0, runs_planned = 0;
};

struct ValidateOptions {
  run::RunOptions run;  // as the trace was recorded
  std::string out_directory = "heddle-clips";
  unsigned jobs = 0;
  std::uint64_t seed = 1;
  std::size_t first_number = 0;       // clips are numbered from here on
  unsigned tails = 6;                 // ways to go on after an anomaly, for each order of its events
  std::chrono::milliseconds time{0};  // for all; 0: no bound
  bool clips_of_benign = true;        // also of what is confirmed and leads to no failure
};

// One verdict for each prediction. `show` is told how many are done.
Result<std::vector<Verdict>> validate(trace::TraceReader& reader, const std::vector<predict::Prediction>& predictions,
                                      const ValidateOptions& options, const std::function<void(std::size_t)>& show);

}  // namespace heddle::validate
