#pragma once
#include <string>

#include "explore/explore_report.h"

namespace heddle::report {

// The failures of a search; without one, its coverage.
std::string explore_text(const explore::ExploreReport& report);

}  // namespace heddle::report
