#include "runtime/record/compact_recording.h"

#include "format/compact_access.h"
#include "runtime/graph/collector.h"
#include "runtime/debug/injection.h"
#include "runtime/schedule/scheduler.h"
#include "runtime/record/session.h"

extern "C" {
using heddle::format::kCompactSlots;
// By format::compact_slot(): the length that a range of the site introduced there has in short.
__attribute__((visibility("hidden"))) std::uint64_t heddle_introduced_sizes[kCompactSlots];
}

namespace heddle::runtime {
namespace {

HeddleSite* introduced_sites[kCompactSlots];  // by format::compact_slot(); those that have HeddleSite::in_short

void forget_introduced(std::size_t slot) {
  if (introduced_sites[slot] != nullptr) introduced_sites[slot]->in_short = 0;
  introduced_sites[slot] = nullptr;
}

// Nobody but the recorder may want to know of accesses, and all of the ring is read.
bool may_record_in_short() {
  const format::SessionConfig& config = session()->config;
  constexpr std::uint32_t kReadInPieces = format::kDebugger | format::kDiscardRing;
  return hot.record && !hot.record_values && !hot.observe && !injecting && hot.graph == GraphWork::None &&
         !hot.short_way_closed && (config.flags & kReadInPieces) == 0 && config.repeats_count == 0;
}

}  // namespace

void begin_short_way() {
  if (hot.record_in_short)
    for (std::size_t slot = 0; slot < kCompactSlots; ++slot) forget_introduced(slot);
  hot.record_in_short = may_record_in_short();
  hot.short_limit = 0;
  if (hot.record_in_short) ring_make_room();  // the limit may be that of an earlier run
  open_short_way();
}

__attribute__((preserve_most)) void introduce(HeddleSite& site, std::uint64_t size) {
  const std::size_t slot = format::compact_slot(site.index);
  forget_introduced(slot);
  introduced_sites[slot] = &site;
  heddle_introduced_sizes[slot] = size;
  site.in_short = static_cast<std::uint16_t>(format::compact_word(slot, 0));
}

void forget_introduced_of(const HeddleSite* begin, const HeddleSite* end) {
  for (std::size_t slot = 0; slot < kCompactSlots; ++slot)
    if (introduced_sites[slot] >= begin && introduced_sites[slot] < end) forget_introduced(slot);
}

}  // namespace heddle::runtime
