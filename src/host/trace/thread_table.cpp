#include "trace/thread_table.h"

#include <algorithm>
#include <ranges>

#include "base/hash.h"

namespace heddle::trace {

void ThreadTable::add(ThreadId thread, ThreadId parent, std::optional<std::uint32_t> ordinal) {
  // A parent has a smaller number than its children. Otherwise the row is damaged, and a cycle would make names
  // endless.
  if (number(parent) >= number(thread)) return;
  std::uint32_t& children = children_[parent];
  const std::uint32_t taken = ordinal.value_or(children + 1);
  if (rows_.try_emplace(thread, Row{parent, taken}).second) children = std::max(children, taken);
}

std::string ThreadTable::name(ThreadId thread) const {
  std::vector<std::uint32_t> ordinals;
  for (ThreadId at = thread; at != kMainThread;) {
    const auto row = rows_.find(at);
    if (row == rows_.end()) return "?" + std::to_string(number(thread));
    ordinals.push_back(row->second.ordinal);
    at = row->second.parent;
  }
  std::string text = "0";
  for (const std::uint32_t ordinal : ordinals | std::views::reverse) (text += '.') += std::to_string(ordinal);
  return text;
}

std::optional<ThreadId> ThreadTable::find(const std::string& name) const {
  if (name == "0") return kMainThread;
  for (const auto& [thread, row] : rows_) {
    if (this->name(thread) == name) return thread;
  }
  return std::nullopt;
}

std::vector<std::uint64_t> ThreadTable::descents(std::size_t count) const {
  if (!rows_.empty()) count = std::max<std::size_t>(count, number(rows_.rbegin()->first) + 1);
  std::vector<std::uint64_t> descents(std::max<std::size_t>(count, 1), 0);
  descents[number(kMainThread)] = kMainDescent;
  // A parent has a smaller number than its children, so its descent is already known.
  for (const auto& [thread, row] : rows_)
    descents[number(thread)] = child_descent(descents[number(row.parent)], row.ordinal);
  return descents;
}

}  // namespace heddle::trace
