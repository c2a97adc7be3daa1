#pragma once
#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "clip/source_units.h"
#include "run/record/run_report.h"
#include "run/verdict/outcome.h"

namespace heddle::explore {

// One bug: all failures with the same signature, described by the first one.
struct Failure {
  run::Outcome outcome;
  std::uint64_t schedule_index = 0;
  std::uint64_t count = 0;  // of failing schedules
  std::string strategy;
  std::string clip;            // path; empty: the schedule did not fail again
  bool early_timeout = false;  // it needs a time-out that fires although another thread can run
  run::RunReport report;
};

struct PctBound {
  std::uint32_t depth = 0;
  std::uint64_t runs = 0;
  double probability = 0;  // of finding a bug of this depth in these runs, at least
};

// The counters of a search, at its end or while it runs.
struct SearchCounts {
  std::uint64_t schedules = 0;
  double seconds = 0;
  std::uint64_t distinct_schedules = 0;          // classes of equivalent orders
  std::uint64_t covered_pairs = 0;               // ordered pairs of sites that met
  std::optional<std::uint32_t> bound_completed;  // all schedules with at most this many preemptions or delays were run
};

struct ExploreReport : SearchCounts {
  double new_pairs_per_minute = 0;  // over the last tenth of the time
  std::uint64_t seed = 0;
  std::string strategy;
  unsigned jobs = 0;
  std::vector<Failure> failures;  // by schedule index; those that need an early time-out come last
  std::vector<PctBound> pct_bounds;
  bool complete = false;                 // all schedules were run
  std::uint64_t schedules_searched = 0;  // by the systematic search
  // Time-outs longer than RunOptions::early_timeout, which fired only when no thread could run: most in one run, and
  // the longest.
  format::TimeoutCount late_timeouts{};
  std::chrono::nanoseconds early_timeout{0};
  std::uint64_t steps_executed = 0;
  std::uint64_t steps_saved = 0;  // by resuming from checkpoints
  std::uint64_t shared_sites = 0;
  std::uint64_t disarmed_sites = 0;
  std::uint64_t threads = 0;
  std::uint64_t steps_per_run = 0;
  clip::SourceUnits units;
  bool interrupted = false;
  bool out_of_time = false;    // before the other bounds were reached
  double seconds_per_run = 0;  // on average; 0: no run has ended
  std::vector<std::string> problems;
};

}  // namespace heddle::explore
