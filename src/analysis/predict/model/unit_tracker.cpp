#include "predict/model/unit_tracker.h"

#include <algorithm>
#include <tuple>

namespace heddle::predict {
namespace {

// The site does not name the function that its code is inlined into: it counts as the one that is open.
constexpr std::uint32_t kSameFunction = 0;
// A site that does not name its function belongs to no invocation and ends none.
constexpr std::uint32_t kUnknown = 0xffffffffu;

constexpr const char* kUnitKindWords[] = {"region", "critical_section", "function", "stretch"};
static_assert(std::size(kUnitKindWords) == kUnitKinds);

}  // namespace

const char* unit_kind_word(UnitKind kind) { return kUnitKindWords[static_cast<unsigned>(kind)]; }

void UnitTracker::open(std::uint16_t thread, std::uint32_t position, Open& open) {
  open = {position, threads_[thread].accesses, true};
}

void UnitTracker::close(std::uint16_t thread, std::uint32_t position, UnitKind kind, Open& open) {
  if (open.active && threads_[thread].accesses - open.accesses >= 2) {
    const std::size_t bucket = static_cast<std::size_t>(kind) * threads_.size() + thread;
    units_[bucket].push_back({open.first, position, thread, kind});
  }
  open.active = false;
}

void UnitTracker::begin(std::uint16_t thread, std::uint32_t position, UnitKind kind) {
  if (kind == UnitKind::Region && threads_[thread].region_depth++ != 0) return;
  open(thread, position, open_of(thread, kind));
}

void UnitTracker::end(std::uint16_t thread, std::uint32_t position, UnitKind kind) {
  unsigned& depth = threads_[thread].region_depth;
  if (kind == UnitKind::Region && (depth == 0 || --depth != 0)) return;
  close(thread, position, kind, open_of(thread, kind));
}

void UnitTracker::end_invocations(std::uint16_t index, std::size_t depth) {
  Thread& thread = threads_[index];
  while (thread.invocations.size() > depth) {
    close(index, thread.last_position, UnitKind::Function, thread.invocations.back().open);
    thread.invocations.pop_back();
  }
}

void UnitTracker::access(std::uint16_t index, std::uint32_t position, std::uint32_t site, SiteId id) {
  Thread& thread = threads_[index];
  if (!open_of(index, UnitKind::Stretch).active) begin(index, position, UnitKind::Stretch);
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
      open(index, position, thread.invocations.back().open);
    }
  }
  ++thread.accesses;
  thread.last_position = position;
}

Units UnitTracker::finish() {
  for (std::uint16_t index = 0; index < threads_.size(); ++index) {
    for (const UnitKind kind : {UnitKind::Region, UnitKind::CriticalSection, UnitKind::Stretch})
      close(index, threads_[index].last_position, kind, open_of(index, kind));
    end_invocations(index, 0);
  }
  Units all;
  const auto extent = [](const Unit& unit) { return std::tuple(unit.first, unit.last); };
  for (Units& own : units_) {
    // Only invocations contain each other; other units are sorted already.
    if (!std::ranges::is_sorted(own, {}, extent)) std::ranges::sort(own, {}, extent);
    // A function that only calls another one has the same extent.
    std::ranges::unique_copy(own, std::back_inserter(all), {}, extent);
    own = {};
  }
  return all;
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
  // The chain lists the call sites, innermost first; its suffixes are the invocations.
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
