#pragma once
#include <string>

#include "explain/explanation.h"

namespace heddle::report {

// The cause in a paragraph, the two orders side by side, and the interleaving with a column for each thread. No line is
// longer than 100 columns. `colours`: for a terminal.
std::string explain_text(const explain::Explanation& explanation, bool colours);

// Replace control characters, which names in a program may contain, so that a terminal shows the text.
std::string one_printable_line(const std::string& text);
// The same, in lines of 100 columns at most, each with its line end.
std::string wrapped_text(const std::string& text);

}  // namespace heddle::report
