#pragma once
#include <string>
#include <vector>

#include "explain/explanation.h"

namespace heddle::report {

// The cause in a paragraph.
std::string cause_text(const explain::Explanation& explanation);
// Limits of the explanation, one sentence each.
std::vector<std::string> explanation_notes(const explain::Explanation& explanation);
// "read of x".
std::string access_text(const explain::CauseAccess& access);

}  // namespace heddle::report
