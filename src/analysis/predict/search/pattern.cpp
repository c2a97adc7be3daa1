#include "predict/search/pattern.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <sstream>

#include "support/check.h"
#include "support/counted.h"

namespace heddle::predict {
namespace {

struct Word {
  std::string_view text;
  std::size_t column = 0;  // from 1
};

std::vector<Word> split_words(std::string_view line) {
  std::vector<Word> words;
  const std::size_t end = std::min(line.find('#'), line.size());
  for (std::size_t at = 0; at < end;) {
    if (line[at] == ' ' || line[at] == '\t' || line[at] == '\r') {
      ++at;
      continue;
    }
    std::size_t stop = at;
    // The mark may stand alone or in front of the next word.
    if (line[at] == '!')
      stop = at + 1;
    else
      while (stop < end && line[stop] != ' ' && line[stop] != '\t' && line[stop] != '\r') ++stop;
    words.push_back({line.substr(at, stop - at), at + 1});
    at = stop;
  }
  return words;
}

bool is_name(std::string_view text) {
  const auto letter = [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; };
  const auto inner = [&](char c) { return letter(c) || (c >= '0' && c <= '9') || c == '-'; };
  return !text.empty() && letter(text.front()) && std::ranges::all_of(text, inner);
}

class Parser {
 public:
  explicit Parser(const std::string& file) : file_(file) {}

  Result<std::vector<AnomalyPattern>> run(std::string_view text) {
    std::istringstream lines{std::string(text)};
    for (std::string line; !error_ && std::getline(lines, line);) {
      ++line_;
      parse_line(line);
    }
    if (!error_) finish_pattern();
    if (error_) return *error_;
    if (patterns_.empty()) return Error{fmt::format("{}:1:1: no pattern here; begin one with \"pattern NAME\"", file_)};
    return std::move(patterns_);
  }

 private:
  // The number of a name, in order of appearance.
  static std::uint8_t number_in(std::vector<std::string>& names, std::string_view name) {
    const auto found = std::ranges::find(names, name);
    const auto number = static_cast<std::uint8_t>(found - names.begin());
    if (found == names.end()) names.emplace_back(name);
    return number;
  }

  void fail(std::size_t column, const std::string& message) { fail_at(line_, column, message); }
  void fail_at(std::size_t line, std::size_t column, const std::string& message) {
    if (!error_) error_ = Error{fmt::format("{}:{}:{}: {}", file_, line, column, message)};
  }

  bool check_name(const Word& word) {
    if (is_name(word.text)) return true;
    fail(word.column, fmt::format("\"{}\" is not a name; use letters, digits, _ and -", word.text));
    return false;
  }

  void parse_line(std::string_view line) {
    const std::vector<Word> words = split_words(line);
    if (words.empty()) return;
    if (words[0].text == "pattern") return begin_pattern(words);
    if (patterns_.empty()) return fail(words[0].column, "an event outside of a pattern; begin with \"pattern NAME\"");
    parse_event(words);
  }

  void begin_pattern(const std::vector<Word>& words) {
    finish_pattern();
    if (error_) return;
    if (words.size() < 2) return fail(words[0].column + 7, "a pattern needs a name: \"pattern NAME\"");
    if (!check_name(words[1])) return;
    if (words.size() > 2) return fail(words[2].column, "nothing follows the name; put each event on its own line");
    if (std::ranges::find(patterns_, words[1].text, &AnomalyPattern::name) != patterns_.end()) {
      return fail(words[1].column, fmt::format("pattern \"{}\" is defined twice", words[1].text));
    }
    patterns_.push_back({std::string(words[1].text), {}});
    header_line_ = line_;
    threads_ = units_ = locations_ = {};
    unit_threads_.clear();
  }

  void parse_event(std::vector<Word> words) {
    AnomalyPattern& pattern = patterns_.back();
    PatternEvent event;
    if (words[0].text == "!") {
      if (pattern.events.empty()) return fail(words[0].column, "the first event of a pattern cannot be adjacent");
      event.adjacent = true;
      words.erase(words.begin());
    }
    if (words.size() != 4) {
      const Word& last = words.empty() ? Word{"", 1} : words[std::min<std::size_t>(words.size() - 1, 4)];
      return fail(words.size() > 4 ? last.column : last.column + last.text.size(),
                  fmt::format("an event is \"THREAD UNIT r|w LOCATION\", not {}", counted(words.size(), "word")));
    }
    for (const std::size_t i : {0u, 1u, 3u})
      if (!check_name(words[i])) return;
    if (words[2].text != "r" && words[2].text != "w") {
      return fail(words[2].column, fmt::format("\"{}\" is not an access; write r or w", words[2].text));
    }
    if (pattern.events.size() == kPatternEventsMax) {
      return fail(words[0].column, fmt::format("a pattern has at most {} events", kPatternEventsMax));
    }
    event.thread = number_in(threads_, words[0].text);
    event.unit = number_in(units_, words[1].text);
    event.access = words[2].text == "r" ? Access::Read : Access::Write;
    event.location = number_in(locations_, words[3].text);
    if (event.unit == unit_threads_.size()) unit_threads_.push_back(event.thread);
    if (unit_threads_[event.unit] != event.thread) {
      return fail(words[1].column, fmt::format("unit {} belongs to thread {} above; a unit has one thread",
                                               words[1].text, threads_[unit_threads_[event.unit]]));
    }
    if (event.adjacent && pattern.events.back().thread == event.thread) {
      return fail(words[0].column, "adjacent events are of different threads");
    }
    pattern.events.push_back(event);
  }

  void finish_pattern() {
    if (patterns_.empty() || threads_.size() >= 2) return;
    fail_at(header_line_, 9, fmt::format("pattern {} needs events of at least two threads", patterns_.back().name));
  }

  const std::string& file_;
  std::size_t line_ = 0;
  std::size_t header_line_ = 0;
  std::vector<AnomalyPattern> patterns_;
  std::vector<std::string> threads_, units_, locations_;
  std::vector<std::uint8_t> unit_threads_;
  std::optional<Error> error_;
};

constexpr std::string_view kBuiltin = R"(
pattern race-rw
    t u  r x
  ! s v  w x
pattern race-wr
    t u  w x
  ! s v  r x
pattern race-ww
    t u  w x
  ! s v  w x
pattern R-W-R
    t u  r x
    s v  w x
    t u  r x
pattern R-W-W
    t u  r x
    s v  w x
    t u  w x
pattern W-R-W
    t u  w x
    s v  r x
    t u  w x
pattern W-W-R
    t u  w x
    s v  w x
    t u  r x
pattern W-W-W
    t u  w x
    s v  w x
    t u  w x
)";

}  // namespace

bool AnomalyPattern::is_race() const {
  return events.size() == 2 && events[1].adjacent && events[0].location == events[1].location;
}

bool AnomalyPattern::is_triple() const {
  return events.size() == 3 && events[0].unit == events[2].unit && events[0].thread != events[1].thread &&
         events[0].location == events[1].location && events[0].location == events[2].location && !events[1].adjacent &&
         !events[2].adjacent;
}

Result<std::vector<AnomalyPattern>> parse_patterns(std::string_view text, const std::string& file) {
  return Parser(file).run(text);
}

const std::vector<AnomalyPattern>& builtin_patterns() {
  static const std::vector<AnomalyPattern> patterns = [] {
    Result<std::vector<AnomalyPattern>> parsed = parse_patterns(kBuiltin, "builtin");
    HEDDLE_CHECK(parsed.ok());
    return std::move(*parsed);
  }();
  return patterns;
}

}  // namespace heddle::predict
