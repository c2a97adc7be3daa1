#pragma once
#include <string>

#include "explore/explore_report.h"
#include "report/run_json.h"

namespace heddle::report {

// The document of `heddle explore`.
Json explore_json(const explore::ExploreReport& report);

// The failures of a search; without one, its coverage.
std::string explore_text(const explore::ExploreReport& report);

}  // namespace heddle::report
