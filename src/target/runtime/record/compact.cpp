#include "runtime/record/compact.h"

#include "format/compact_access.h"
#include "runtime/record/session.h"
#include "runtime/runtime.h"
#include "runtime/schedule/scheduler.h"

extern "C" {
using heddle::format::kCompactSlots;
// By format::compact_slot(): the length of the range that a compact word of the site represents.
__attribute__((visibility("hidden"))) std::uint64_t heddle_compact_sizes[kCompactSlots];
}

namespace heddle::runtime {
namespace {

void forget_compact(std::size_t slot) {
  HeddleSite*& site = rt.recording.compact_sites[slot];
  if (site != nullptr) site->compact = 0;
  site = nullptr;
}

// True if accesses are only recorded, and the host reads the ring from its first word on.
bool may_record_compact() {
  const format::SessionConfig& config = session()->config;
  constexpr std::uint32_t kReadInPieces = format::kDebugger | format::kDiscardRing;
  return hot.record && !hot.record_values && !hot.observe && !rt.debug.injecting && hot.graph == GraphWork::None &&
         !hot.compact_closed && (config.flags & kReadInPieces) == 0 && config.repeats_count == 0;
}

}  // namespace

void begin_compact() {
  if (hot.record_compact)
    for (std::size_t slot = 0; slot < kCompactSlots; ++slot) forget_compact(slot);
  hot.record_compact = may_record_compact();
  hot.compact_limit = 0;
  if (hot.record_compact) ring_make_room();  // the limit may be that of an earlier run
  open_compact();
}

__attribute__((preserve_most)) void add_compact(HeddleSite& site, std::uint64_t size) {
  const std::size_t slot = format::compact_slot(site.index);
  forget_compact(slot);
  rt.recording.compact_sites[slot] = &site;
  heddle_compact_sizes[slot] = size;
  site.compact = static_cast<std::uint16_t>(format::compact_word(slot, 0));
}

void forget_compact_of(const HeddleSite* begin, const HeddleSite* end) {
  for (std::size_t slot = 0; slot < kCompactSlots; ++slot)
    if (rt.recording.compact_sites[slot] >= begin && rt.recording.compact_sites[slot] < end) forget_compact(slot);
}

}  // namespace heddle::runtime
