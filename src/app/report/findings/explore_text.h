#pragma once
#include <string>

#include "explore/explore_report.h"

namespace heddle::report {

// What a search has found, and what it is worth when it has found nothing.
std::string explore_text(const explore::ExploreReport& report);

}  // namespace heddle::report
