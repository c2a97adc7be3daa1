#pragma once
// One command from a program to its bugs, each with a small clip and its cause.
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
  run::RunOptions run;  // which prints nothing, and reads no terminal or pipe
  std::chrono::milliseconds time{60'000};
  std::uint64_t seed = 1;
  unsigned jobs = 0;  // 0: as many as there are processors
  bool stop_at_first = false;
  std::string out_directory = "heddle-hunt";  // clips go into its folder `clips`
};

enum class HuntPhase : std::uint8_t { Explore, Predict, Shrink, Explain, Breakpoints };

struct HuntProgress {
  HuntPhase phase = HuntPhase::Explore;
  std::size_t bugs = 0;   // so far
  std::string signature;  // of the bug that is examined
  std::variant<explore::Progress, shrink::Progress, experiment::Progress> doing;
};

struct HuntObserver {
  std::function<void(const HuntProgress&)> show;
  // A bug has arrived, or more is known of one that has: what is to be written about it is written now.
  std::function<void(Bug&)> found;
};

// Explores until something fails, predicts from a passing run, and explores on; whatever is found is shrunk and
// explained at once, and breakpoints are written for it. A bug whose cause is known already is added to the bug that
// has it. When interrupted, all that was found so far is in the report.
Result<HuntReport> hunt(const HuntOptions& options, const HuntObserver& observer);

}  // namespace heddle::hunt
