#include "explain/recording/memory_effect.h"

#include <algorithm>

#include "binary/symbolizer.h"
#include "run/verdict/outcome.h"

namespace heddle::explain {
namespace {

using format::EventKind;

constexpr std::uint64_t kGranule = 8;
// Of a longer range only the beginning is looked at: nobody waits for the rest.
constexpr std::uint64_t kBytesMax = 1 << 16;
enum Seen : std::uint8_t { kRead = 1, kWrite = 2 };

EffectKind kind_of(EventKind kind) {
  if (format::touches_memory(kind) || kind == EventKind::Free) return EffectKind::Memory;
  if (format::takes_lock(kind)) return EffectKind::Locking;
  const bool waits = format::is_synchronisation(kind) && format::class_of(kind) != format::EventClass::Lock;
  return waits && !format::resumes(kind) ? EffectKind::Waiting : EffectKind::Nothing;
}

// Semaphores, latches and reference counts are made of atomics: what they do to them is no concern of the program.
bool is_inside_of_library(const trace::TraceSite& site) {
  if (!binary::is_system_header(site.file)) return false;
  for (const char* primitive : {"semaphore_base.h", "/latch", "/barrier", "shared_ptr", "atomicity.h"})
    if (site.file.find(primitive) != std::string::npos || site.chain.find(primitive) != std::string::npos) return true;
  return false;
}

std::uint64_t key(const MemoryEffect& touch, std::uint64_t granule) {
  return granule * 4 + static_cast<std::uint64_t>(touch.kind);
}

}  // namespace

std::vector<MemoryEffect> effects_of(const Recording& recording) {
  std::vector<MemoryEffect> touches(recording.events.size());
  std::unordered_map<std::uint64_t, std::uint64_t> sizes;
  for (std::size_t i = 0; i < recording.events.size(); ++i) {
    const trace::Event& event = recording.events[i];
    if (event.kind == EventKind::Alloc) sizes[event.object] = event.value;
    MemoryEffect& touch = touches[i];
    touch.kind = kind_of(event.kind);
    if (format::is_atomic_access(event.kind)) {
      const trace::TraceSite* site = recording.tables.find_site(event.site_id());
      if (site != nullptr && is_inside_of_library(*site)) touch.kind = EffectKind::Waiting;
    }
    if (touch.kind == EffectKind::Nothing) continue;
    touch.begin = event.object;
    std::uint64_t size = 1;
    if (touch.kind == EffectKind::Memory) {
      touch.frees = event.kind == EventKind::Free;
      if (touch.frees) {
        const auto known = sizes.find(event.object);
        size = known == sizes.end() ? 1 : known->second;
      } else {
        size = trace::access_size(event);
      }
      touch.writes = touch.frees || format::is_write_access(event.kind);
    } else {
      touch.writes = touch.kind != EffectKind::Locking || !format::is_shared(event.kind);
    }
    touch.end = touch.begin + std::max<std::uint64_t>(size, 1);
  }
  return touches;
}

void EffectSet::add(const MemoryEffect& touch) {
  if (touch.kind == EffectKind::Nothing) return;
  const std::uint64_t end = std::min(touch.end, touch.begin + kBytesMax);
  for (std::uint64_t granule = touch.begin / kGranule; granule <= (end - 1) / kGranule; ++granule)
    granules_[key(touch, granule)] |= touch.writes ? kWrite : kRead;
}

bool EffectSet::may_conflict(const MemoryEffect& touch) const {
  if (touch.kind == EffectKind::Nothing) return false;
  const std::uint64_t end = std::min(touch.end, touch.begin + kBytesMax);
  for (std::uint64_t granule = touch.begin / kGranule; granule <= (end - 1) / kGranule; ++granule) {
    const auto found = granules_.find(key(touch, granule));
    if (found != granules_.end() && (touch.writes || (found->second & kWrite) != 0)) return true;
  }
  return false;
}

}  // namespace heddle::explain
