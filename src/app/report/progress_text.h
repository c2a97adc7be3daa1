#pragma once
#include <string>

#include "experiment/progress.h"

namespace heddle::report {

// One line that describes the current activity.
std::string progress_text(const experiment::Progress& progress);

}  // namespace heddle::report
