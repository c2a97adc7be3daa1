#pragma once
#include <array>
#include <cstddef>
#include <string_view>
#include <utility>

namespace heddle {

// The words of an enumeration's values in options and files. Words are string literals.
template <typename Enum, std::size_t Count>
using EnumWords = std::array<std::pair<Enum, const char*>, Count>;

// nullptr: the value has no word.
template <typename Enum, std::size_t Count>
constexpr const char* word_of(const EnumWords<Enum, Count>& words, Enum value) {
  for (const auto& [known, word] : words)
    if (known == value) return word;
  return nullptr;
}

// Leaves `value` unchanged and returns false if there is no such word.
template <typename Enum, std::size_t Count>
constexpr bool parse_word(const EnumWords<Enum, Count>& words, std::string_view text, Enum& value) {
  for (const auto& [known, word] : words) {
    if (text != word) continue;
    value = known;
    return true;
  }
  return false;
}

}  // namespace heddle
