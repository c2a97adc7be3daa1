#include "predict/model/unit_tracker.h"

#include <algorithm>
#include <span>
#include <tuple>

namespace heddle::predict {
namespace {

// The function that the code was inlined into has no name in the site: whichever is open goes on.
constexpr std::uint32_t kSameFunction = 0;
// Of a site that does not say its function; it belongs to no invocation and ends none.
constexpr std::uint32_t kUnknown = 0xffffffffu;

}  // namespace

const char* unit_kind_word(UnitKind kind) {
  switch (kind) {
    case UnitKind::Region:
      return "region";
    case UnitKind::CriticalSection:
      return "critical_section";
    case UnitKind::Function:
      return "function";
    case UnitKind::Stretch:
      return "stretch";
  }
  return "";
}

UnitTracker::UnitTracker(const trace::TraceTables& tables, std::size_t thread_count)
    : tables_(tables), threads_(thread_count) {}

void UnitTracker::begin(Thread& thread, Open& open, std::uint32_t position) {
  open = {position, thread.accesses, true};
}

void UnitTracker::end(std::uint16_t index, Open& open, std::uint32_t position, UnitKind kind) {
  if (open.active && threads_[index].accesses - open.accesses >= 2)
    units_.push_back({open.first, position, index, kind});
  open.active = false;
}

void UnitTracker::end_invocations(std::uint16_t index, std::size_t depth) {
  Thread& thread = threads_[index];
  while (thread.invocations.size() > depth) {
    end(index, thread.invocations.back().open, thread.last_position, UnitKind::Function);
    thread.invocations.pop_back();
  }
}

void UnitTracker::access(std::uint16_t index, std::uint32_t position, std::uint32_t site, SiteId id) {
  Thread& thread = threads_[index];
  if (!thread.stretch.active) begin(thread, thread.stretch, position);
  if (const std::vector<std::uint32_t>& frames = frames_of(site, id); frames.front() != kUnknown) {
    std::size_t same = 0;
    while (same < frames.size() && same < thread.invocations.size() &&
           (frames[same] == kSameFunction || thread.invocations[same].frame == frames[same]) &&
           thread.invocations[same].first_site != site) {
      ++same;
    }
    end_invocations(index, same);
    for (std::size_t depth = same; depth < frames.size(); ++depth) {
      thread.invocations.push_back({frames[depth], site, {}});
      begin(thread, thread.invocations.back().open, position);
    }
  }
  ++thread.accesses;
  thread.last_position = position;
}

void UnitTracker::first_lock_taken(std::uint16_t index, std::uint32_t position) {
  begin(threads_[index], threads_[index].section, position);
}

void UnitTracker::last_lock_released(std::uint16_t index, std::uint32_t position) {
  end(index, threads_[index].section, position, UnitKind::CriticalSection);
}

void UnitTracker::region_begins(std::uint16_t index, std::uint32_t position) {
  Thread& thread = threads_[index];
  if (thread.region_depth++ == 0) begin(thread, thread.region, position);
}

void UnitTracker::region_ends(std::uint16_t index, std::uint32_t position) {
  Thread& thread = threads_[index];
  if (thread.region_depth > 0 && --thread.region_depth == 0) end(index, thread.region, position, UnitKind::Region);
}

void UnitTracker::boundary(std::uint16_t index, std::uint32_t position) {
  end(index, threads_[index].stretch, position, UnitKind::Stretch);
}

// Of one kind and thread they come nearly in order: only invocations contain each other.
void UnitTracker::sort_by_kind_and_thread() {
  const auto bucket = [&](const Unit& unit) {
    return static_cast<std::size_t>(unit.kind) * threads_.size() + unit.thread;
  };
  std::vector<std::size_t> begin(kUnitKinds * threads_.size() + 1);
  for (const Unit& unit : units_) ++begin[bucket(unit) + 1];
  for (std::size_t i = 1; i < begin.size(); ++i) begin[i] += begin[i - 1];
  Units sorted(units_.size());
  std::vector<std::size_t> fill(begin.begin(), begin.end() - 1);
  for (const Unit& unit : units_) sorted[fill[bucket(unit)]++] = unit;
  const auto extent = [](const Unit& unit) { return std::tuple(unit.first, unit.last); };
  for (std::size_t i = 0; i + 1 < begin.size(); ++i) {
    const std::span own(sorted.begin() + static_cast<std::ptrdiff_t>(begin[i]), begin[i + 1] - begin[i]);
    if (!std::ranges::is_sorted(own, {}, extent)) std::ranges::sort(own, {}, extent);
  }
  units_ = std::move(sorted);
}

Units UnitTracker::finish() {
  for (std::uint16_t index = 0; index < threads_.size(); ++index) {
    Thread& thread = threads_[index];
    end(index, thread.region, thread.last_position, UnitKind::Region);
    end(index, thread.section, thread.last_position, UnitKind::CriticalSection);
    end(index, thread.stretch, thread.last_position, UnitKind::Stretch);
    end_invocations(index, 0);
  }
  const auto key = [](const Unit& unit) { return std::tuple(unit.kind, unit.thread, unit.first, unit.last); };
  sort_by_kind_and_thread();
  // A function that does nothing but call another one.
  const auto repeated = std::ranges::unique(units_, {}, key);
  units_.erase(repeated.begin(), repeated.end());
  return std::move(units_);
}

const std::vector<std::uint32_t>& UnitTracker::frames_of(std::uint32_t site, SiteId id) {
  if (site >= frames_.size()) frames_.resize(site + 1);
  std::vector<std::uint32_t>& frames = frames_[site];
  if (!frames.empty()) return frames;
  const trace::TraceSite* row = tables_.find_site(id);
  if (row == nullptr || row->function.empty()) {
    frames.push_back(kUnknown);
    return frames;
  }
  if (row->chain.empty()) {
    frames.push_back(frame_id(row->function));
    return frames;
  }
  // The chain lists call sites, innermost first: the invocations are its suffixes.
  for (std::size_t at = row->chain.rfind('<'); at != std::string::npos; at = row->chain.rfind('<', at - 1)) {
    frames.push_back(frame_id(row->chain.substr(at)));
    if (at == 0) break;
  }
  frames.push_back(frame_id(row->chain));
  frames.insert(frames.begin(), kSameFunction);
  return frames;
}

std::uint32_t UnitTracker::frame_id(const std::string& name) {
  return frame_ids_.try_emplace(name, static_cast<std::uint32_t>(frame_ids_.size() + 1)).first->second;
}

}  // namespace heddle::predict
