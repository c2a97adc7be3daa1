#include "support/closest_word.h"

#include <algorithm>
#include <cctype>
#include <limits>

namespace heddle {
namespace {

constexpr std::size_t kMistakesMax = 3;
constexpr std::size_t kLettersPerMistake = 3;
constexpr std::size_t kBeginningMin = 2;  // letters

std::string folded(std::string_view word) {
  word.remove_prefix(std::min(word.find_first_not_of('-'), word.size()));
  std::string letters(word);
  for (char& letter : letters) letter = static_cast<char>(std::tolower(static_cast<unsigned char>(letter)));
  return letters;
}

// Damerau-Levenshtein distance (restricted: no letter moves twice).
std::size_t mistakes_between(std::string_view a, std::string_view b) {
  std::vector<std::size_t> older, above(b.size() + 1), row(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) above[j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      row[j] = std::min({above[j] + 1, row[j - 1] + 1, above[j - 1] + (a[i - 1] != b[j - 1])});
      const bool exchanged = i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1];
      if (exchanged) row[j] = std::min(row[j], older[j - 2] + 1);
    }
    older = above;
    above = row;
  }
  return above[b.size()];
}

std::size_t mistakes_allowed(std::string_view a, std::string_view b) {
  return std::clamp<std::size_t>(std::max(a.size(), b.size()) / kLettersPerMistake, 1, kMistakesMax);
}

// Smaller is more likely. A prefix is less likely than any misspelling, and less likely the more letters are missing.
std::size_t unlikelihood(const std::string& typed, const std::string& known) {
  constexpr std::size_t kNever = std::numeric_limits<std::size_t>::max();
  if (typed.empty()) return kNever;
  const std::size_t mistakes = mistakes_between(typed, known);
  if (mistakes < known.size() && mistakes <= mistakes_allowed(typed, known)) return mistakes;
  if (typed.size() >= kBeginningMin && known.starts_with(typed)) return kMistakesMax + known.size() - typed.size();
  return kNever;
}

}  // namespace

std::vector<std::string> closest_words(std::string_view typed, const std::vector<std::string>& known) {
  const std::string word = folded(typed);
  std::vector<std::string> closest;
  std::size_t least = std::numeric_limits<std::size_t>::max() - 1;
  for (const std::string& candidate : known) {
    const std::size_t here = unlikelihood(word, folded(candidate));
    if (here > least) continue;
    if (here < least) closest.clear();
    least = here;
    if (std::find(closest.begin(), closest.end(), candidate) == closest.end()) closest.push_back(candidate);
  }
  return closest;
}

std::string alternatives_text(const std::vector<std::string>& words) {
  std::string text;
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (i != 0) text += i + 1 == words.size() ? " or " : ", ";
    text += words[i];
  }
  return text;
}

}  // namespace heddle
