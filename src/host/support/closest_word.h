#pragma once
#include <string>
#include <string_view>
#include <vector>

namespace heddle {

// The words of `known` that `typed` most likely stands for, as a misspelling or as a prefix. Several if they are
// equally likely, none if no word is close. Leading dashes and capitals are ignored.
std::vector<std::string> closest_words(std::string_view typed, const std::vector<std::string>& known);

// "a", "a or b", "a, b or c".
std::string alternatives_text(const std::vector<std::string>& words);

}  // namespace heddle
