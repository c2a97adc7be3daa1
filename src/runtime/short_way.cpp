#include "runtime/short_way.h"

#include "format/compact_access.h"
#include "runtime/graph/collector.h"
#include "runtime/injection.h"
#include "runtime/scheduler.h"
#include "runtime/session.h"

extern "C" {
using heddle::format::kCompactSlots;
// By format::compact_slot(): site_word() of the site whose accesses may be told in short.
__attribute__((visibility("hidden"))) std::uint64_t heddle_introduced_sites[kCompactSlots];
__attribute__((visibility("hidden"))) std::uint64_t heddle_introduced_sizes[kCompactSlots];  // of ranges
}

namespace heddle::runtime {
namespace {

// Nobody but the recorder may want to know of accesses, and all of the ring is read.
bool may_record_in_short() {
  const format::SessionConfig& config = session()->config;
  constexpr std::uint32_t kReadInPieces = format::kDebugger | format::kDiscardRing;
  return hot.record && !hot.record_values && !hot.observe && !injecting && hot.graph == GraphWork::None &&
         !hot.short_way_closed && (config.flags & kReadInPieces) == 0 && config.repeats_count == 0;
}

}  // namespace

void begin_short_way() {
  if (hot.record_in_short) {
    __builtin_memset(heddle_introduced_sites, 0, sizeof heddle_introduced_sites);
    __builtin_memset(heddle_introduced_sizes, 0, sizeof heddle_introduced_sizes);
  }
  hot.record_in_short = may_record_in_short();
  hot.short_limit = 0;
  if (hot.record_in_short) ring_make_room();  // the limit may be that of an earlier run
  open_short_way();
}

}  // namespace heddle::runtime
