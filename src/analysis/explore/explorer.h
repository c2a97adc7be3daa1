#pragma once
#include <functional>

#include "explore/explore_options.h"
#include "explore/explore_report.h"
#include "support/result.h"

namespace heddle::explore {

// The state of a running search.
struct Progress : SearchCounts {
  std::uint64_t schedules_max = 0;
  std::uint64_t failures = 0;
};
using ShowProgress = std::function<void(const Progress&)>;

// Runs a program under many schedules, on all processors, and writes a clip of each failure. The seed determines the
// schedule of each index, independent of the number of jobs. The first failure is the one with the lowest index.
Result<ExploreReport> explore(const ExploreOptions& options, const ShowProgress& show);

}  // namespace heddle::explore
