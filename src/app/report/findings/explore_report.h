#pragma once
#include <string>

#include "explore/explore_report.h"
#include "report/run_json.h"

namespace heddle::report {

// The document of `heddle explore`.
Json explore_json(const explore::ExploreReport& report);

// The failures of a search; without one, its coverage.
std::string explore_text(const explore::ExploreReport& report);

// For a search whose time was over: how long one run takes. Empty if it had the time for more than a few schedules.
std::string slow_text(std::uint64_t schedules, double seconds, double seconds_per_run);

}  // namespace heddle::report
