#include "clip/clip_reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <limits>
#include <nlohmann/json.hpp>
#include <optional>
#include <utility>

#include "clip/clip_words.h"
#include "support/files.h"
#include "trace/file/compression.h"

namespace heddle::clip {
namespace {

using Json = nlohmann::json;

constexpr std::size_t kTextMax = std::size_t{1} << 32;  // of a compressed clip

// Whether the range is one whole number.
template <typename Integer>
bool parse_number(const char* begin, const char* end, Integer& number, int base = 10) {
  const auto [rest, error] = std::from_chars(begin, end, number, base);
  return error == std::errc() && rest == end;
}

std::optional<std::string> text_of_hex(const std::string& hex) {
  if (hex.size() % 2 != 0) return std::nullopt;
  std::string bytes;
  for (std::size_t at = 0; at < hex.size(); at += 2) {
    unsigned byte = 0;
    if (!parse_number(hex.data() + at, hex.data() + at + 2, byte, 16)) return std::nullopt;
    bytes.push_back(static_cast<char>(byte));
  }
  return bytes;
}

bool is_descent(std::string_view name) {
  bool digit = false;
  for (const char c : name) {
    if (c != '.' && (c < '0' || c > '9')) return false;
    if (c == '.' && !digit) return false;
    digit = c != '.';
  }
  return digit;
}

// Reads the values of one line by key. Remembers the first problem. A missing or wrong value reads as empty or 0.
class LineFields {
 public:
  explicit LineFields(const Json& line) : line_(line) {}

  bool ok() const { return problem_.empty(); }
  const std::string& problem() const { return problem_; }
  void refuse(std::string problem) {
    if (ok()) problem_ = std::move(problem);
  }

  bool has(std::string_view key) const { return line_.contains(key); }

  std::string text(std::string_view key) {
    const Json* value = find(key);
    return value == nullptr ? "" : text_value(*value, key);
  }
  std::string text_or_empty(std::string_view key) { return has(key) ? text(key) : ""; }

  template <typename Integer>
  Integer integer(std::string_view key) {
    const Json* value = find(key);
    return value == nullptr ? Integer{0} : integer_value<Integer>(*value, key);
  }
  template <typename Integer>
  Integer integer_or_zero(std::string_view key) {
    return has(key) ? integer<Integer>(key) : Integer{0};
  }

  bool flag(std::string_view key) {
    const Json* value = find(key);
    if (value == nullptr) return false;
    if (!value->is_boolean()) refuse(fmt::format("\"{}\" is neither true nor false", key));
    return value->is_boolean() && value->get<bool>();
  }

  std::vector<std::string> texts(std::string_view key) {
    std::vector<std::string> list;
    for (const Json& value : array(key)) list.push_back(text_value(value, key));
    return list;
  }

  std::vector<std::int64_t> signed_integers(std::string_view key) {
    std::vector<std::int64_t> list;
    for (const Json& value : array(key)) {
      if (!value.is_number_integer()) refuse(fmt::format("\"{}\" is not a list of whole numbers", key));
      if (ok()) list.push_back(value.get<std::int64_t>());
    }
    return list;
  }

  std::vector<std::string> descents(std::string_view key) {
    std::vector<std::string> list = texts(key);
    for (const std::string& name : list) check_descent(name, key);
    return list;
  }

  void check_descent(std::string_view name, std::string_view key) {
    if (!is_descent(name)) refuse(fmt::format("\"{}\" does not name a thread by its descent (0.2.1)", key));
  }

  template <typename Enum, std::size_t Count>
  Enum word(std::string_view key, const EnumWords<Enum, Count>& words) {
    Enum value = words.front().first;
    if (!parse_word(words, text(key), value)) refuse(fmt::format("\"{}\" has an unknown word", key));
    return value;
  }

  const Json& array(std::string_view key) {
    const Json* value = find(key);
    if (value != nullptr && value->is_array()) return *value;
    refuse(fmt::format("\"{}\" is not a list", key));
    return kEmpty;
  }
  const Json& array_or_empty(std::string_view key) { return has(key) ? array(key) : kEmpty; }

  std::string text_value(const Json& value, std::string_view key) {
    if (value.is_string()) return value.get<std::string>();
    if (value.is_object() && value.contains(kHexKey) && value[std::string(kHexKey)].is_string()) {
      if (auto bytes = text_of_hex(value[std::string(kHexKey)].get<std::string>())) return *bytes;
    }
    refuse(fmt::format("\"{}\" is not text", key));
    return "";
  }

  template <typename Integer>
  Integer integer_value(const Json& value, std::string_view key) {
    if (value.is_number_unsigned() && value.get<std::uint64_t>() <= std::numeric_limits<Integer>::max()) {
      return static_cast<Integer>(value.get<std::uint64_t>());
    }
    refuse(fmt::format("\"{}\" is not a number from 0 to {}", key, std::numeric_limits<Integer>::max()));
    return 0;
  }

 private:
  const Json* find(std::string_view key) {
    const auto value = line_.find(key);
    if (value != line_.end()) return &*value;
    refuse(fmt::format("\"{}\" is missing", key));
    return nullptr;
  }

  static inline const Json kEmpty = Json::array();
  const Json& line_;
  std::string problem_;
};

void read_head(LineFields& fields, ClipHead& head) {
  head.program = fields.text("program");
  head.arguments = fields.texts("arguments");
  head.build_id = fields.text("build_id");
  head.engine = fields.word("engine", kEngineWords);
  head.strategy = fields.text("strategy");
  head.seed = fields.integer<std::uint64_t>("seed");
  head.quantum = fields.integer<std::uint64_t>("quantum");
  head.processors = fields.integer<std::uint32_t>("processors");
  head.spurious_wakeups = fields.flag("spurious_wakeups");
  const auto time_model = fields.integer_or_zero<std::uint32_t>("time_model");
  if (time_model > static_cast<std::uint32_t>(format::kNewestTimeModel))
    return fields.refuse(fmt::format("time model {} is of a newer version of Heddle; update Heddle", time_model));
  head.time_model = format::TimeModel{time_model};
  head.steps_max = fields.integer_or_zero<std::uint64_t>("steps_max");
  for (const Json& pair : fields.array("environment")) {
    if (!pair.is_array() || pair.size() != 2) return fields.refuse("\"environment\" is not a list of pairs");
    head.environment[fields.text_value(pair[0], "environment")] = fields.text_value(pair[1], "environment");
  }
  head.unset_environment = fields.texts("unset_environment");
  head.stdin_file = fields.text("stdin");
  head.driver = fields.text_or_empty("driver");
  head.working_directory = fields.text("working_directory");
  head.processor = fields.text("processor");
  head.arm_mode = fields.word("arm_mode", kArmModeWords);
  for (const Json& module : fields.array("modules")) {
    if (!module.is_object()) return fields.refuse("\"modules\" is not a list of modules");
    LineFields row(module);
    head.modules.push_back({row.text("path"), row.text("build_id"), row.flag("instrumented")});
    if (!row.ok()) return fields.refuse("in \"modules\": " + row.problem());
  }
}

// "file:line:column". The name of the file may contain colons.
void read_place(LineFields& fields, ClipSwitch& change) {
  if (!fields.has("at")) return;
  const std::string at = fields.text("at");
  const std::size_t second = at.rfind(':');
  const std::size_t first = second == std::string::npos || second == 0 ? std::string::npos : at.rfind(':', second - 1);
  if (first == std::string::npos || !parse_number(at.data() + first + 1, at.data() + second, change.line) ||
      !parse_number(at.data() + second + 1, at.data() + at.size(), change.column)) {
    return fields.refuse("\"at\" is not file:line:column");
  }
  change.file = at.substr(0, first);
}

void read_switch(LineFields& fields, std::string_view key, Clip& clip) {
  constexpr std::string_view kArrow = " -> ";
  ClipSwitch change;
  change.preemption = key == "preemption";
  const std::string threads = fields.text(key);
  const std::size_t arrow = threads.find(kArrow);
  if (arrow == std::string::npos) return fields.refuse(fmt::format("\"{}\" is not \"thread -> thread\"", key));
  change.thread = threads.substr(0, arrow);
  change.to = threads.substr(arrow + kArrow.size());
  fields.check_descent(change.thread, key);
  fields.check_descent(change.to, key);
  change.kind = fields.text("kind");
  read_place(fields, change);
  change.function = fields.text_or_empty("function");
  change.function_line = fields.integer_or_zero<std::uint32_t>("function_line");
  change.occurrence = fields.integer<std::uint32_t>("occurrence");
  change.site = fields.text_or_empty("site");
  change.after_site = fields.text_or_empty("after");
  change.after_function_line = fields.integer_or_zero<std::uint32_t>("after_function_line");
  change.after_occurrence = fields.integer_or_zero<std::uint32_t>("after_occurrence");
  change.after_same = fields.integer_or_zero<std::uint32_t>("after_same");
  if (fields.ok()) clip.switches.push_back(std::move(change));
}

void read_runs(LineFields& fields, const std::vector<std::string>& threads, Clip& clip) {
  const Json& numbers = fields.array("runs");
  if (numbers.size() % 3 != 0) return fields.refuse("\"runs\" is not a list of triples");
  std::vector<ClipRun> runs;
  runs.reserve(numbers.size() / 3);
  for (std::size_t at = 0; at < numbers.size() && fields.ok(); at += 3) {
    const auto thread = fields.integer_value<std::uint32_t>(numbers[at], "runs");
    if (thread >= threads.size()) return fields.refuse("\"runs\" names a thread that \"threads\" does not have");
    runs.push_back({threads[thread], fields.integer_value<std::uint32_t>(numbers[at + 1], "runs"),
                    fields.integer_value<std::uint32_t>(numbers[at + 2], "runs")});
  }
  for (const Json& position : fields.array_or_empty("forced")) {
    const auto run = fields.integer_value<std::uint32_t>(position, "forced");
    if (run >= runs.size()) return fields.refuse("\"forced\" names a run that \"runs\" does not have");
    runs[run].forced = true;
  }
  if (fields.ok()) clip.runs.insert(clip.runs.end(), runs.begin(), runs.end());
}

void read_end(LineFields& fields, Clip& clip) {
  ClipEnd end;
  end.outcome = fields.text("end");
  end.signature = fields.text("signature");
  end.message = fields.text("message");
  end.events = fields.integer<std::uint64_t>("events");
  const std::string hash = fields.text("event_hash");
  if (!parse_number(hash.data(), hash.data() + hash.size(), end.event_hash, 16))
    fields.refuse("\"event_hash\" is not hexadecimal");
  end.threads = fields.integer<std::uint32_t>("threads");
  end.switches = fields.integer<std::uint64_t>("switches");
  end.preemptions = fields.integer<std::uint64_t>("preemptions");
  if (fields.ok()) clip.end = std::move(end);
}

void read_iterations(LineFields& fields, Clip& clip) {
  IterationRange range;
  range.loop = fields.text("disabled_iterations");
  range.thread = fields.text("thread");
  fields.check_descent(range.thread, "thread");
  const Json& ends = fields.array("ranges");
  if (ends.size() % 2 != 0) return fields.refuse("\"ranges\" is not a list of pairs");
  for (std::size_t at = 0; at < ends.size() && fields.ok(); at += 2) {
    range.first = fields.integer_value<std::uint32_t>(ends[at], "ranges");
    range.last = fields.integer_value<std::uint32_t>(ends[at + 1], "ranges");
    if (range.first > range.last) return fields.refuse("\"ranges\" has a range that ends before it begins");
    if (fields.ok()) clip.omitted.iterations.push_back(range);
  }
}

class ClipParser {
 public:
  Clip clip;

  // Returns the problem of the line; empty: none.
  std::string add_line(const Json& line) {
    LineFields fields(line);
    if (fields.has("preemption"))
      read_switch(fields, "preemption", clip);
    else if (fields.has("switch"))
      read_switch(fields, "switch", clip);
    else if (fields.has("runs"))
      read_runs(fields, threads_, clip);
    else if (fields.has("end"))
      read_end(fields, clip);
    else if (fields.has("threads"))
      append(fields, threads_, fields.descents("threads"));
    else if (fields.has("choices"))
      append(fields, clip.choices, fields.descents("choices"));
    else if (fields.has("arrivals"))
      append(fields, clip.arrivals, fields.signed_integers("arrivals"));
    else if (fields.has("disabled_threads"))
      append(fields, clip.omitted.threads, fields.descents("disabled_threads"));
    else if (fields.has("disabled_iterations"))
      read_iterations(fields, clip);
    else if (fields.has("armed"))
      append(fields, clip.head.armed, fields.texts("armed"));
    return fields.problem();  // a line without any of these keys is of a later version
  }

 private:
  template <typename Item>
  static void append(const LineFields& fields, std::vector<Item>& list, const std::vector<Item>& more) {
    if (fields.ok()) list.insert(list.end(), more.begin(), more.end());
  }

  std::vector<std::string> threads_;
};

struct Lines {
  std::string_view rest;
  std::size_t number = 0;

  std::optional<std::string_view> next() {
    if (rest.empty()) return std::nullopt;
    ++number;
    const std::size_t end = rest.find('\n');
    const std::string_view line = rest.substr(0, end);
    rest.remove_prefix(end == std::string_view::npos ? rest.size() : end + 1);
    return line;
  }
};

Json parse_line(std::string_view line) { return Json::parse(line.begin(), line.end(), nullptr, false); }

// Whether `text` is an incomplete first line of a clip.
bool is_cut_head(std::string_view text) {
  const std::string begin = fmt::format("{{\"{}\":", kClipKey);
  return text.find('\n') == std::string_view::npos && (text.starts_with(begin) || begin.starts_with(text));
}

Result<ClipHead> parse_head(std::string_view line, bool cut, const std::string& name) {
  const Json json = parse_line(line);
  if (json.is_discarded() && cut)
    return Error{name + ":1: cut short inside its first line; there is nothing to replay"};
  if (!json.is_object() || !json.contains(kClipKey)) return Error{name + " is not a Heddle clip"};
  LineFields fields(json);
  ClipHead head;
  const auto version = fields.integer<std::uint32_t>(kClipKey);
  if (fields.ok() && version != kClipVersion) {
    return Error{fmt::format("{} is a clip of version {}; this Heddle reads version {}", name, version, kClipVersion)};
  }
  read_head(fields, head);
  if (!fields.ok()) return Error{name + ":1: " + fields.problem()};
  return head;
}

}  // namespace

Result<ClipReading> parse_clip(std::string_view text, const std::string& name) {
  Lines lines{text};
  const std::string_view first = lines.next().value_or("");
  Result<ClipHead> head = parse_head(first, is_cut_head(text), name);
  if (!head) return head.error();
  ClipParser parser;
  parser.clip.head = std::move(*head);
  ClipReading reading;
  const auto stop = [&](std::size_t line, std::string message) {
    reading.problems.push_back({line, std::move(message)});
  };
  while (reading.problems.empty() && !parser.clip.end) {
    const std::optional<std::string_view> line = lines.next();
    if (!line) {
      stop(lines.number + 1, "the clip is cut short: it has no end line");
      break;
    }
    const Json json = parse_line(*line);
    if (json.is_object()) {
      const std::string problem = parser.add_line(json);
      if (!problem.empty()) stop(lines.number, problem);
    } else {
      stop(lines.number, lines.rest.empty() ? "the clip is cut short inside this line" : "not a JSON object");
    }
  }
  if (parser.clip.end && !lines.rest.empty()) stop(lines.number + 1, "there is more text after the end line");
  reading.clip = std::move(parser.clip);
  return reading;
}

Result<ClipReading> read_clip(const std::string& path) {
  Result<std::string> bytes = read_file(path);
  if (!bytes) return bytes.error();
  if (!trace::is_compressed_file(*bytes)) return parse_clip(*bytes, path);
  const trace::Decompressed text = trace::decompress_file(*bytes, kTextMax);
  Result<ClipReading> reading = parse_clip(text.bytes, path);
  // The problem of the compression is the cause of missing text.
  if (reading && !text.problem.empty()) {
    if (reading->problems.empty()) reading->problems.push_back({1, ""});
    reading->problems.back().message = "the compressed file is " + text.problem;
  }
  return reading;
}

}  // namespace heddle::clip
