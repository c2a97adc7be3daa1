#include "report/failure/core_report.h"

#include <fmt/format.h>

#include <algorithm>

#include "report/run_text.h"

namespace heddle::report {
namespace {

using coredump::IndexEntry;
using coredump::Match;

constexpr std::size_t kListedInText = 8;

const char* kind_word(IndexEntry::Kind kind) {
  switch (kind) {
    case IndexEntry::Kind::Function:
      return "function";
    case IndexEntry::Kind::Loop:
      return "loop";
    case IndexEntry::Kind::Branch:
      return "branch";
    case IndexEntry::Kind::Statement:
      return "statement";
  }
  return "";
}

constexpr const char* kOrderTexts[] = {"one thread after the other", "the failing thread first",
                                       "the failing thread last", "in slices", "another thread stopped"};
static_assert(std::size(kOrderTexts) == static_cast<std::size_t>(coredump::ThreadOrder::AnotherStopped) + 1);

const char* order_text(const std::optional<coredump::ThreadOrder>& order) {
  return order ? kOrderTexts[static_cast<std::size_t>(*order)] : "";
}

const char* match_word(Match match) {
  switch (match) {
    case Match::No:
      return "no";
    case Match::FreedUse:
      return "freed_use";
    case Match::Consequence:
      return "consequence";
    case Match::Signature:
      return "signature";
  }
  return "";
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
  for (std::size_t i = 0; i < std::min(report.listed.size(), kListedMax); ++i)
    list.push_back({{"path", report.listed[i].path}, {"what", report.listed[i].what}});
  return list;
}

}  // namespace

Json core_json(const coredump::CoreReport& report) {
  Json index = Json::array();
  for (const IndexEntry& entry : report.index.entries) index.push_back(entry_json(entry));
  Json critical = Json::array();
  for (const coredump::CriticalVariable& variable : report.critical)
    critical.push_back({{"path", variable.path}, {"what", variable.what}, {"size", variable.size}});
  const bool found = !report.clip.empty();
  return {{"outcome", {{"kind", run::outcome_word(report.outcome.kind)}, {"signature", report.outcome.signature}}},
          {"thread", nullable(report.thread)},
          {"core", {{"threads", report.core_threads}, {"bytes", report.core_bytes}}},
          {"index", std::move(index)},
          {"points", nullable(report.index.point_count)},
          {"index_length", {{"entries", report.index.length()}, {"expanded", report.index.expanded_length()}}},
          {"aligned", report.passed
                          ? Json{{"kind", report.aligned.exact ? "exact" : "closest"},
                                 {"file", report.aligned_file},
                                 {"line", report.aligned_line},
                                 {"thread", report.aligned_thread},
                                 {"order", order_text(report.order)},
                                 {"matched", report.aligned.matched},
                                 {"diverging_line", report.aligned.exact ? Json(nullptr) : Json(report.aligned.line)},
                                 {"bytes", report.aligned_bytes},
                                 {"core", nullable(report.aligned_core)}}
                          : Json(nullptr)},
          {"variables_compared", report.variables_compared},
          {"differences", report.differences},
          {"difference_list", differences_json(report)},
          {"shared", report.shared},
          {"critical", std::move(critical)},
          {"candidates", report.candidates},
          {"search", coredump::search_word(report.method)},
          {"tries", report.tries},
          {"other_failures", report.other_failures},
          {"exhausted", report.exhausted},
          {"clip", found ? Json(report.clip) : Json(nullptr)},
          {"found", found ? Json{{"kind", run::outcome_word(report.found.kind)},
                                 {"signature", report.found.signature},
                                 {"match", match_word(report.match)},
                                 {"index_matches", report.index_matches}}
                          : Json(nullptr)},
          {"seconds",
           {{"read", report.read_seconds},
            {"rerun", report.rerun_seconds},
            {"compare", report.compare_seconds},
            {"rank", report.rank_seconds},
            {"search", report.search_seconds}}},
          {"interrupted", report.interrupted},
          {"problems", report.problems}};
}

std::string core_text(const coredump::CoreReport& report) {
  std::string text = fmt::format("the core: {}{}\n", report.outcome.signature,
                                 report.thread.empty() ? "" : fmt::format(", thread {}", report.thread));
  for (const IndexEntry& entry : report.index.entries) text += "  " + entry_text(entry) + "\n";
  if (report.passed) {
    text += fmt::format("the run again, {}, comes {} at {}:{}\n", order_text(report.order),
                        report.aligned.exact ? "to the same point" : "closest to it", report.aligned_file,
                        report.aligned_line);
    text += fmt::format("{} variables compared, {} differ, {} of them shared between threads\n",
                        report.variables_compared, report.differences, report.critical.size());
    for (std::size_t i = 0; i < std::min(report.critical.size(), kListedInText); ++i)
      text += fmt::format("  {} ({})\n", report.critical[i].path, report.critical[i].what);
    if (report.critical.size() > kListedInText)
      text += fmt::format("  and {} more; see --json\n", report.critical.size() - kListedInText);
    text += fmt::format("{} schedules tried of {} places to preempt\n", report.tries, report.candidates);
  }
  for (const std::string& problem : report.problems) text += "note: " + problem + "\n";
  if (report.clip.empty()) {
    text += report.exhausted ? "no schedule with so few preemptions fails as the core says; try --preemptions 2 or "
                               "--search chess\n"
                             : "no schedule was found that fails as the core says; give it more --tries or --time\n";
  } else {
    text += fmt::format("{}\nthe clip is in {}; replay it with: {}\n", report.found.signature, report.clip,
                        command_text({"heddle", "replay", report.clip}));
  }
  return text;
}

Json export_json(const std::string& path, const coredump::ExportReport& report) {
  return {{"export", path}, {"key", report.key_path}, {"variables", report.variables}, {"bytes", report.bytes}};
}

std::string export_text(const std::string& path, const coredump::ExportReport& report) {
  return fmt::format(
      "{} has the index of the crash and the paths, types and keyed hashes of {} variables, no values\nthe key is in {}; "
      "whoever has both can guess small values\n",
      path, report.variables, report.key_path);
}

}  // namespace heddle::report
