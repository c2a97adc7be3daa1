#pragma once
#include <string>
#include <string_view>
#include <vector>

namespace heddle {

// The words of `known` that `typed` most likely stands for: misspelt by a few letters, or only begun. More than one
// where they are equally likely, none where nothing is close. Dashes in front and capitals do not count.
std::vector<std::string> closest_words(std::string_view typed, const std::vector<std::string>& known);

// "a", "a or b", "a, b or c".
std::string alternatives_text(const std::vector<std::string>& words);

}  // namespace heddle
