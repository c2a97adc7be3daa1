#include "validate/ignore_list.h"

#include <sstream>

#include "support/files.h"

namespace heddle::validate {
namespace {

std::string_view trimmed(std::string_view text) {
  while (!text.empty() && (text.front() == ' ' || text.front() == '\t')) text.remove_prefix(1);
  while (!text.empty() && (text.back() == ' ' || text.back() == '\t' || text.back() == '\r')) text.remove_suffix(1);
  return text;
}

// True if the pattern matches the path or the part after any slash.
bool matches_end(std::string_view pattern, std::string_view path) {
  if (matches(pattern, path)) return true;
  for (std::size_t slash = path.find('/'); slash != std::string_view::npos; slash = path.find('/', slash + 1))
    if (matches(pattern, path.substr(slash + 1))) return true;
  return false;
}

}  // namespace

bool matches(std::string_view pattern, std::string_view text) {
  // If the text after the last star does not match at `tried`, the search resumes one letter later.
  std::size_t p = 0, t = 0, star = std::string_view::npos, tried = 0;
  while (t < text.size()) {
    if (p < pattern.size() && (pattern[p] == '?' || pattern[p] == text[t])) {
      ++p;
      ++t;
    } else if (p < pattern.size() && pattern[p] == '*') {
      star = p++;
      tried = t;
    } else if (star != std::string_view::npos) {
      p = star + 1;
      t = ++tried;
    } else {
      return false;
    }
  }
  while (p < pattern.size() && pattern[p] == '*') ++p;
  return p == pattern.size();
}

Result<IgnoreList> IgnoreList::parse(std::string_view text, const std::string& file) {
  IgnoreList list;
  std::size_t number = 0;
  std::istringstream lines{std::string(text)};
  for (std::string whole; std::getline(lines, whole);) {
    ++number;
    const std::string_view line = trimmed(std::string_view(whole).substr(0, whole.find('#')));
    if (line.empty()) continue;
    const std::size_t colon = line.find(':');
    const std::string_view word = trimmed(line.substr(0, colon));
    const std::string_view rest =
        colon == std::string_view::npos ? std::string_view() : trimmed(line.substr(colon + 1));
    if (rest.empty() || (word != "file" && word != "function" && word != "line")) {
      return Error{file + ":" + std::to_string(number) +
                   ": not a rule; write `file: PATTERN`, `function: PATTERN` or `line: FILE:NUMBER`"};
    }
    const Kind kind = word == "file" ? Kind::File : word == "function" ? Kind::Function : Kind::Line;
    list.rules_.push_back({kind, std::string(rest)});
  }
  return list;
}

bool IgnoreList::ignores(const std::string& file, std::uint32_t line, const std::string& function) const {
  for (const Rule& rule : rules_) {
    if (rule.kind == Kind::File && matches_end(rule.pattern, file)) return true;
    if (rule.kind == Kind::Function && matches(rule.pattern, function)) return true;
    if (rule.kind == Kind::Line && matches_end(rule.pattern, file + ":" + std::to_string(line))) return true;
  }
  return is_benign(file, line);
}

bool IgnoreList::is_benign(const std::string& file, std::uint32_t line) const {
  if (file.empty() || line == 0) return false;
  const auto [known, added] = benign_lines_.try_emplace(file);
  if (added) {
    if (const Result<std::string> source = read_file(file)) {
      std::istringstream text(*source);
      for (std::string text_line; std::getline(text, text_line);)
        known->second.push_back(text_line.find("HEDDLE_BENIGN") != std::string::npos);
    }
  }
  const std::vector<bool>& lines = known->second;
  const auto marked = [&](std::uint32_t number) { return number >= 1 && number <= lines.size() && lines[number - 1]; };
  return marked(line) || marked(line - 1);
}

}  // namespace heddle::validate
