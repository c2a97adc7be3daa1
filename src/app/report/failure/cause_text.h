#pragma once
#include <string>
#include <vector>

#include "explain/explanation.h"

namespace heddle::report {

// The cause in a paragraph.
std::string cause_text(const explain::Explanation& explanation);
// What a reader should know besides, in sentences of their own.
std::vector<std::string> explanation_notes(const explain::Explanation& explanation);
// "read of x": the same words wherever an access of a cause is named.
std::string access_text(const explain::CauseAccess& access);

}  // namespace heddle::report
