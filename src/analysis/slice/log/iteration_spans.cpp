#include "slice/log/iteration_spans.h"

namespace heddle::slice {

void IterationSpans::take(const trace::Event& record, LogPlace place) {
  if ((record.flags & format::kFailed) != 0) return;  // skipped
  const Loop loop{number(record.thread), record.object};
  if ((record.flags & format::kAfter) == 0) {
    open_[loop].push_back(spans_.size());
    spans_.push_back({loop.first, loop.second, static_cast<std::uint32_t>(record.value), place, ~LogPlace{0}});
  } else if (!end_innermost(loop, place)) {
    ends_.push_back({loop, place});
  }
}

bool IterationSpans::end_innermost(const Loop& loop, LogPlace place) {
  std::vector<std::size_t>& open = open_[loop];
  if (open.empty()) return false;
  spans_[open.back()].end = place;
  open.pop_back();
  return true;
}

void IterationSpans::append(const IterationSpans& next) {
  for (const End& end : next.ends_) end_innermost(end.loop, end.place);
  const std::size_t before = spans_.size();
  spans_.insert(spans_.end(), next.spans_.begin(), next.spans_.end());
  for (const auto& [loop, open] : next.open_)
    for (const std::size_t index : open) open_[loop].push_back(before + index);
}

}  // namespace heddle::slice
