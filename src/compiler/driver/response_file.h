#pragma once
#include <string>
#include <string_view>
#include <vector>

namespace heddle::instrument {

// The arguments in the text of a response file: blanks separate, quotes and backslashes protect, as in GCC's.
std::vector<std::string> split_response_text(std::string_view text);

// `arguments` with each readable @file replaced by what is in it, also inside such files. An unreadable one stays as it
// is, for the compiler to complain about.
std::vector<std::string> expand_response_files(const std::vector<std::string>& arguments);

}  // namespace heddle::instrument
