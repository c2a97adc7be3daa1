#include "clip/clip_writer.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <span>
#include <string_view>
#include <vector>

#include "clip/clip_words.h"
#include "support/bytes.h"
#include "support/files.h"
#include "trace/file/compression.h"

namespace heddle::clip {
namespace {

using OrderedJson = nlohmann::ordered_json;  // keys in the order of this file: the most informative first

constexpr std::size_t kRunsPerLine = 1000;
constexpr std::size_t kNamesPerLine = 1000;

bool is_utf8(std::string_view text) {
  try {
    OrderedJson(text).dump();
    return true;
  } catch (const OrderedJson::type_error&) {
    return false;
  }
}

// File names and arguments may be any bytes, but JSON strings are UTF-8.
OrderedJson text_json(std::string_view text) {
  if (is_utf8(text)) return std::string(text);
  return OrderedJson{
      {std::string(kHexKey), hex_text({reinterpret_cast<const std::uint8_t*>(text.data()), text.size()})}};
}

template <typename Texts>
OrderedJson texts_json(const Texts& texts) {
  OrderedJson list = OrderedJson::array();
  for (const std::string& text : texts) list.push_back(text_json(text));
  return list;
}

OrderedJson head_json(const ClipHead& head) {
  OrderedJson line;
  line[std::string(kClipKey)] = head.version;
  line["program"] = text_json(head.program);
  line["arguments"] = texts_json(head.arguments);
  line["build_id"] = text_json(head.build_id);
  line["engine"] = word_of(kEngineWords, head.engine);
  line["strategy"] = text_json(head.strategy);
  line["seed"] = head.seed;
  line["quantum"] = head.quantum;
  line["processors"] = head.processors;
  line["spurious_wakeups"] = head.spurious_wakeups;
  if (head.time_model != format::TimeModel::Steps) line["time_model"] = static_cast<std::uint32_t>(head.time_model);
  if (head.steps_max != 0) line["steps_max"] = head.steps_max;
  OrderedJson environment = OrderedJson::array();  // pairs: a name need not be UTF-8
  for (const auto& [name, value] : head.environment) {
    environment.push_back(OrderedJson::array({text_json(name), text_json(value)}));
  }
  line["environment"] = environment;
  line["unset_environment"] = texts_json(head.unset_environment);
  line["stdin"] = text_json(head.stdin_file);
  if (!head.driver.empty()) line["driver"] = text_json(head.driver);
  line["working_directory"] = text_json(head.working_directory);
  line["processor"] = text_json(head.processor);
  line["arm_mode"] = word_of(kArmModeWords, head.arm_mode);
  OrderedJson modules = OrderedJson::array();
  for (const ModuleIdentity& module : head.modules) {
    modules.push_back({{"path", text_json(module.path)},
                       {"build_id", text_json(module.build_id)},
                       {"instrumented", module.instrumented}});
  }
  line["modules"] = modules;
  return line;
}

OrderedJson switch_json(const ClipSwitch& change) {
  OrderedJson line;
  line[change.preemption ? "preemption" : "switch"] = change.thread + " -> " + change.to;
  line["kind"] = text_json(change.kind);
  if (!change.file.empty() || change.line != 0 || change.column != 0) {
    line["at"] = text_json(fmt::format("{}:{}:{}", change.file, change.line, change.column));
  }
  if (!change.function.empty()) line["function"] = text_json(change.function);
  if (change.function_line != 0) line["function_line"] = change.function_line;
  line["occurrence"] = change.occurrence;
  if (!change.site.empty()) line["site"] = text_json(change.site);
  if (!change.after_site.empty()) {
    line["after"] = text_json(change.after_site);
    line["after_function_line"] = change.after_function_line;
    line["after_occurrence"] = change.after_occurrence;
    line["after_same"] = change.after_same;
  }
  return line;
}

OrderedJson end_json(const ClipEnd& end) {
  OrderedJson line;
  line["end"] = text_json(end.outcome);
  line["signature"] = text_json(end.signature);
  line["message"] = text_json(end.message);
  line["events"] = end.events;
  line["event_hash"] = fmt::format("{:016x}", end.event_hash);
  line["threads"] = end.threads;
  line["switches"] = end.switches;
  line["preemptions"] = end.preemptions;
  return line;
}

class ClipText {
 public:
  void add(const OrderedJson& line) { (text_ += line.dump()) += '\n'; }

  template <typename Item>
  void add_names(const char* key, const std::vector<Item>& names) {
    for (std::size_t begin = 0; begin < names.size(); begin += kNamesPerLine) {
      add({{key, texts_json(std::span(names).subspan(begin, std::min(kNamesPerLine, names.size() - begin)))}});
    }
  }

  void add_numbers(const char* key, const std::vector<std::int64_t>& numbers) {
    for (std::size_t begin = 0; begin < numbers.size(); begin += kRunsPerLine) {
      const std::span line = std::span(numbers).subspan(begin, std::min(kRunsPerLine, numbers.size() - begin));
      add({{key, std::vector(line.begin(), line.end())}});
    }
  }

  void add_runs(const std::vector<ClipRun>& runs) {
    for (std::size_t begin = 0; begin < runs.size(); begin += kRunsPerLine) {
      const std::span line = std::span(runs).subspan(begin, std::min(kRunsPerLine, runs.size() - begin));
      std::vector<std::string> new_threads;
      std::vector<std::uint32_t> numbers;
      std::vector<std::size_t> forced;
      for (const ClipRun& run : line) {
        if (run.forced) forced.push_back(numbers.size() / 3);
        const auto [thread, added] = threads_.try_emplace(run.thread, threads_.size());
        if (added) new_threads.push_back(run.thread);
        numbers.insert(numbers.end(), {static_cast<std::uint32_t>(thread->second), run.points, run.check});
      }
      add_names("threads", new_threads);
      OrderedJson record = {{"runs", numbers}};
      if (!forced.empty()) record["forced"] = forced;
      add(record);
    }
  }

  std::string take() { return std::move(text_); }

 private:
  std::string text_;
  std::map<std::string, std::size_t> threads_;  // numbers in the order of the first runs
};

// One line per thread and loop.
void add_iterations(ClipText& text, const std::vector<IterationRange>& iterations) {
  for (std::size_t at = 0; at < iterations.size();) {
    const IterationRange& first = iterations[at];
    OrderedJson ranges = OrderedJson::array();
    for (; at < iterations.size() && iterations[at].thread == first.thread && iterations[at].loop == first.loop; ++at) {
      ranges.push_back(iterations[at].first);
      ranges.push_back(iterations[at].last);
    }
    text.add({{"disabled_iterations", text_json(first.loop)}, {"thread", first.thread}, {"ranges", ranges}});
  }
}

}  // namespace

std::string format_clip(const Clip& clip) {
  ClipText text;
  text.add(head_json(clip.head));
  text.add_names("armed", clip.head.armed);
  text.add_names("disabled_threads", clip.omitted.threads);
  add_iterations(text, clip.omitted.iterations);
  for (const ClipSwitch& change : clip.switches) text.add(switch_json(change));
  text.add_runs(clip.runs);
  text.add_names("choices", clip.choices);
  text.add_numbers("arrivals", clip.arrivals);
  if (clip.end) text.add(end_json(*clip.end));
  return text.take();
}

Status write_clip(const Clip& clip, const std::string& path) {
  const std::string text = format_clip(clip);
  return write_file(path, path.ends_with(".zst") ? trace::compress_file(text) : text);
}

}  // namespace heddle::clip
