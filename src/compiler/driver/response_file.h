#pragma once
#include <string>
#include <string_view>
#include <vector>

namespace heddle::instrument {

// Splits the text of a response file by GCC's rules: blanks separate arguments, quotes and backslashes protect blanks.
std::vector<std::string> split_response_text(std::string_view text);

// Replaces each readable @file in `arguments` by its content, also inside such files. An unreadable @file is kept, and
// the compiler reports it.
std::vector<std::string> expand_response_files(const std::vector<std::string>& arguments);

}  // namespace heddle::instrument
