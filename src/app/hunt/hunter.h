#pragma once
// Finds the bugs of a program, each with a small clip and its cause.
#include <chrono>
#include <cstdint>
#include <functional>
#include <string>
#include <variant>

#include "experiment/progress.h"
#include "explore/explorer.h"
#include "hunt/hunt_report.h"
#include "run/run_options.h"
#include "shrink/shrinker.h"
#include "support/result.h"

namespace heddle::hunt {

struct HuntOptions {
  run::RunOptions run;  // with discarded output and a stdin that can be read again
  std::chrono::milliseconds time{60'000};
  std::uint64_t seed = 1;
  unsigned jobs = 0;  // 0: number of processors
  bool stop_at_first = false;
  std::string out_directory = "heddle-hunt";  // clips go into its folder `clips`
};

enum class HuntPhase : std::uint8_t { Explore, Predict, Shrink, Explain, Breakpoints };

struct HuntProgress {
  HuntPhase phase = HuntPhase::Explore;
  std::size_t bugs = 0;   // so far
  std::string signature;  // of the current bug; empty: a search
  std::variant<explore::Progress, shrink::Progress, experiment::Progress> doing;
};

struct HuntObserver {
  std::function<void(const HuntProgress&)> show;
  // Called for each new bug, and again when there are more results about it. Writes its files.
  std::function<void(Bug&)> found;
};

// Explores until the first failure, predicts from a passing run, then explores for the rest of the time. Shrinks and
// explains each failure immediately, and writes breakpoints for it. A failure with the cause of an earlier bug is added
// to that bug. After an interrupt the report contains the results so far.
Result<HuntReport> hunt(const HuntOptions& options, const HuntObserver& observer);

}  // namespace heddle::hunt
