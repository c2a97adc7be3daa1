#include "report/failure/core_report.h"

#include <fmt/format.h>

#include <algorithm>

#include "report/run_text.h"
#include "support/counted.h"

namespace heddle::report {
namespace {

using coredump::IndexEntry;
using coredump::Match;

constexpr std::size_t kListedInText = 8;

const char* kind_word(IndexEntry::Kind kind) {
  constexpr const char* kWords[] = {"function", "loop", "branch", "statement"};
  static_assert(std::size(kWords) == static_cast<std::size_t>(IndexEntry::Kind::Statement) + 1);
  return kWords[static_cast<std::size_t>(kind)];
}

constexpr const char* kOrderTexts[] = {"one thread after the other", "the failing thread first",
                                       "the failing thread last", "in slices", "with another thread stopped"};
static_assert(std::size(kOrderTexts) == static_cast<std::size_t>(coredump::ThreadOrder::AnotherStopped) + 1);

const char* order_text(const std::optional<coredump::ThreadOrder>& order) {
  return order ? kOrderTexts[static_cast<std::size_t>(*order)] : "";
}

const char* match_word(Match match) {
  constexpr const char* kWords[] = {"no", "freed_use", "consequence", "signature"};
  static_assert(std::size(kWords) == static_cast<std::size_t>(Match::Signature) + 1);
  return kWords[static_cast<std::size_t>(match)];
}

Json entry_json(const IndexEntry& entry) {
  Json json = {{"kind", kind_word(entry.kind)}, {"function", binary::demangle(entry.function)}, {"line", entry.line}};
  if (entry.kind == IndexEntry::Kind::Loop) {
    json["loop"] = entry.loop;
    json["count"] = entry.count_known ? Json(entry.count) : Json(nullptr);
  }
  if (entry.kind == IndexEntry::Kind::Branch) {
    Json branches = Json::array();
    for (const binary::Branch& branch : entry.branches) branches.push_back({branch.block, branch.successor});
    json["branches"] = std::move(branches);
  }
  if (entry.kind == IndexEntry::Kind::Statement || entry.has_call) json["point"] = entry.point;
  return json;
}

std::string entry_text(const IndexEntry& entry) {
  switch (entry.kind) {
    case IndexEntry::Kind::Function:
      return fmt::format("{}{}", binary::demangle(entry.function),
                         entry.has_call ? fmt::format(", called in line {}", entry.line) : "");
    case IndexEntry::Kind::Loop:
      return fmt::format("  loop of line {}: iteration {}", entry.line,
                         entry.count_known ? std::to_string(entry.count + 1) : "unknown");
    case IndexEntry::Kind::Branch:
      return fmt::format("  branch of line {}", entry.line);
    case IndexEntry::Kind::Statement:
      return fmt::format("  line {}", entry.line);
  }
  return "";
}

Json differences_json(const coredump::CoreReport& report) {
  constexpr std::size_t kListedMax = 1'000;
  Json list = Json::array();
  for (std::size_t i = 0; i < std::min(report.comparison.listed.size(), kListedMax); ++i)
    list.push_back({{"path", report.comparison.listed[i].path}, {"what", report.comparison.listed[i].what}});
  return list;
}

}  // namespace

Json core_json(const coredump::CoreReport& report) {
  Json index = Json::array();
  for (const IndexEntry& entry : report.core.index.entries) index.push_back(entry_json(entry));
  Json critical = Json::array();
  for (const coredump::CriticalVariable& variable : report.comparison.sharing.critical)
    critical.push_back({{"path", variable.path}, {"what", variable.what}, {"size", variable.size}});
  const bool found = !report.search.clip.empty();
  return {
      {"outcome",
       {{"kind", run::outcome_word(report.core.outcome.kind)}, {"signature", report.core.outcome.signature}}},
      {"thread", nullable(report.core.thread)},
      {"core", {{"threads", report.core.threads}, {"bytes", report.core.bytes}}},
      {"index", std::move(index)},
      {"points", nullable(report.core.index.point_count)},
      {"index_length", {{"entries", report.core.index.length()}, {"expanded", report.core.index.expanded_length()}}},
      {"aligned", report.passed ? Json{{"kind", report.aligned.point.exact ? "exact" : "closest"},
                                       {"file", report.aligned.file},
                                       {"line", report.aligned.line},
                                       {"thread", report.aligned.thread},
                                       {"order", order_text(report.aligned.order)},
                                       {"matched", report.aligned.point.matched},
                                       {"diverging_line",
                                        report.aligned.point.exact ? Json(nullptr) : Json(report.aligned.point.line)},
                                       {"bytes", report.aligned.bytes},
                                       {"core", nullable(report.aligned_core)}}
                                : Json(nullptr)},
      {"variables_compared", report.comparison.variables},
      {"differences", report.comparison.differences},
      {"difference_list", differences_json(report)},
      {"shared", report.comparison.sharing.shared},
      {"critical", std::move(critical)},
      {"candidates", report.comparison.candidates},
      {"search", coredump::search_word(report.search.method)},
      {"tries", report.search.tries},
      {"other_failures", report.search.other_failures},
      {"exhausted", report.search.exhausted},
      {"clip", found ? Json(report.search.clip) : Json(nullptr)},
      {"found", found ? Json{{"kind", run::outcome_word(report.search.found.kind)},
                             {"signature", report.search.found.signature},
                             {"match", match_word(report.search.match)},
                             {"index_matches", report.search.index_matches}}
                      : Json(nullptr)},
      {"seconds",
       {{"read", report.core.seconds},
        {"rerun", report.aligned.seconds},
        {"compare", report.comparison.seconds},
        {"rank", report.comparison.rank_seconds},
        {"search", report.search.seconds}}},
      {"interrupted", report.interrupted},
      {"problems", report.problems}};
}

std::string core_text(const coredump::CoreReport& report) {
  std::string text = fmt::format("the core: {}{}\n", report.core.outcome.signature,
                                 report.core.thread.empty() ? "" : fmt::format(", thread {}", report.core.thread));
  for (const IndexEntry& entry : report.core.index.entries) text += "  " + entry_text(entry) + "\n";
  if (report.passed) {
    text += fmt::format("the repeated run ({}) reaches {} at {}:{}\n", order_text(report.aligned.order),
                        report.aligned.point.exact ? "the same point" : "the closest point", report.aligned.file,
                        report.aligned.line);
    text += fmt::format("{} compared, {} differ, {} of these shared between threads\n",
                        counted(report.comparison.variables, "variable"), report.comparison.differences,
                        report.comparison.sharing.critical.size());
    for (std::size_t i = 0; i < std::min(report.comparison.sharing.critical.size(), kListedInText); ++i)
      text += fmt::format("  {} ({})\n", report.comparison.sharing.critical[i].path,
                          report.comparison.sharing.critical[i].what);
    if (report.comparison.sharing.critical.size() > kListedInText)
      text += fmt::format("  and {} more; see --json\n", report.comparison.sharing.critical.size() - kListedInText);
    text += fmt::format("{} tried, with {} to preempt\n", counted(report.search.tries, "schedule"),
                        counted(report.comparison.candidates, "place"));
  }
  for (const std::string& problem : report.problems) text += "note: " + problem + "\n";
  if (report.search.clip.empty()) {
    text +=
        report.search.exhausted
            ? "no schedule with this number of preemptions fails like the core; try --preemptions 2 or --search chess\n"
            : "no schedule found that fails like the core; give it more --tries or --time\n";
  } else {
    text += fmt::format("{}\nthe clip is in {}; replay it with: {}\n", report.search.found.signature,
                        report.search.clip, command_text({"heddle", "replay", report.search.clip}));
  }
  return text;
}

Json export_json(const std::string& path, const coredump::ExportReport& report) {
  return {{"export", path}, {"key", report.key_path}, {"variables", report.variables}, {"bytes", report.bytes}};
}

std::string export_text(const std::string& path, const coredump::ExportReport& report) {
  return fmt::format(
      "{} contains the index of the crash, and paths, types and keyed hashes of {}, but no values\nthe key is in {}; "
      "keep "
      "it apart, because small values can be guessed with both files\n",
      path, counted(report.variables, "variable"), report.key_path);
}

}  // namespace heddle::report
