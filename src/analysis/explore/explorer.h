#pragma once
#include <functional>

#include "explore/explore_options.h"
#include "explore/explore_report.h"
#include "support/result.h"

namespace heddle::explore {

// What a search has done so far, for whoever shows it.
struct Progress {
  std::uint64_t schedules = 0;
  std::uint64_t schedules_max = 0;
  double seconds = 0;
  std::uint64_t distinct_schedules = 0;
  std::uint64_t covered_pairs = 0;
  std::uint64_t failures = 0;
  std::optional<std::uint32_t> bound_completed;
};
using ShowProgress = std::function<void(const Progress&)>;

// Runs a program under many schedules, on all processors, and keeps a clip of every failure. With the same seed the
// same schedules come in the same order, whatever the number of jobs; the first failure is the one with the lowest
// index.
Result<ExploreReport> explore(const ExploreOptions& options, const ShowProgress& show);

}  // namespace heddle::explore
