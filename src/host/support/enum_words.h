#pragma once
#include <algorithm>
#include <array>
#include <cstddef>
#include <string_view>
#include <utility>

#include "support/check.h"

namespace heddle {

// The words of an enumeration's values in options and files. Words are string literals.
template <typename Enum, std::size_t Count>
using EnumWords = std::array<std::pair<Enum, const char*>, Count>;

// REQUIRES: the value has a word.
template <typename Enum, std::size_t Count>
const char* word_of(const EnumWords<Enum, Count>& words, Enum value) {
  const auto found = std::ranges::find(words, value, [](const auto& row) { return row.first; });
  HEDDLE_CHECK(found != words.end());
  return found->second;
}

// Leaves `value` unchanged and returns false if there is no such word.
template <typename Enum, std::size_t Count>
bool parse_word(const EnumWords<Enum, Count>& words, std::string_view text, Enum& value) {
  const auto found = std::ranges::find(words, text, [](const auto& row) { return std::string_view(row.second); });
  if (found == words.end()) return false;
  value = found->first;
  return true;
}

}  // namespace heddle
