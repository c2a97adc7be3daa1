#pragma once
#include <string>

#include "explain/explanation.h"

namespace heddle::report {

// The cause in a paragraph, the two orders side by side, and the interleaving with a column for each thread. No line is
// longer than 100 columns. `colours`: for a terminal.
std::string explain_text(const explain::Explanation& explanation, bool colours);

}  // namespace heddle::report
