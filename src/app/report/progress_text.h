#pragma once
#include <string>

#include "experiment/progress.h"

namespace heddle::report {

// One line for a terminal.
std::string progress_text(const experiment::Progress& progress);

}  // namespace heddle::report
