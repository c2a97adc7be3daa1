#include "explain/recording/memory_effect.h"

#include <algorithm>

#include "binary/symbolizer.h"
#include "run/verdict/outcome.h"

namespace heddle::explain {
namespace {

using format::EventKind;

constexpr std::uint64_t kGranule = 8;
// Bytes of a range that are compared: longer ranges would cost too much time.
constexpr std::uint64_t kBytesMax = 1 << 16;
enum Seen : std::uint8_t { kRead = 1, kWrite = 2 };

EffectKind kind_of(EventKind kind) {
  if (format::touches_memory(kind) || kind == EventKind::Free) return EffectKind::Memory;
  if (format::takes_lock(kind)) return EffectKind::Locking;
  const bool waits = format::is_synchronisation(kind) && format::class_of(kind) != format::EventClass::Lock;
  return waits && !format::resumes(kind) ? EffectKind::Waiting : EffectKind::Nothing;
}

// Semaphores, latches and reference counts consist of atomics. Their internal accesses are not the program's own.
bool is_inside_library(const trace::TraceSite& site) {
  if (!binary::is_system_header(site.file)) return false;
  for (const char* primitive : {"semaphore_base.h", "/latch", "/barrier", "shared_ptr", "atomicity.h"})
    if (site.file.find(primitive) != std::string::npos || site.chain.find(primitive) != std::string::npos) return true;
  return false;
}

std::uint64_t last_granule(const MemoryEffect& effect) {
  return (std::min(effect.end, effect.begin + kBytesMax) - 1) / kGranule;
}

std::uint64_t key(const MemoryEffect& effect, std::uint64_t granule) {
  return granule * 4 + static_cast<std::uint64_t>(effect.kind);
}

}  // namespace

std::vector<MemoryEffect> effects_of(const Recording& recording) {
  std::vector<MemoryEffect> effects(recording.events.size());
  std::unordered_map<std::uint64_t, std::uint64_t> sizes;
  for (std::size_t i = 0; i < recording.events.size(); ++i) {
    const trace::Event& event = recording.events[i];
    if (event.kind == EventKind::Alloc) sizes[event.object] = event.value;
    MemoryEffect& effect = effects[i];
    effect.kind = kind_of(event.kind);
    if (format::is_atomic_access(event.kind)) {
      const trace::TraceSite* site = recording.tables.find_site(event.site_id());
      if (site != nullptr && is_inside_library(*site)) effect.kind = EffectKind::Waiting;
    }
    if (effect.kind == EffectKind::Nothing) continue;
    effect.begin = event.object;
    std::uint64_t size = 1;
    if (effect.kind == EffectKind::Memory) {
      effect.frees = event.kind == EventKind::Free;
      size = effect.frees ? sizes[event.object] : trace::access_size(event);
      effect.writes = effect.frees || format::is_write_access(event.kind);
    } else {
      effect.writes = effect.kind != EffectKind::Locking || !format::is_shared(event.kind);
    }
    effect.end = effect.begin + std::max<std::uint64_t>(size, 1);
  }
  return effects;
}

void EffectSet::add(const MemoryEffect& effect) {
  if (effect.kind == EffectKind::Nothing) return;
  for (std::uint64_t granule = effect.begin / kGranule; granule <= last_granule(effect); ++granule)
    granules_[key(effect, granule)] |= effect.writes ? kWrite : kRead;
}

bool EffectSet::may_conflict(const MemoryEffect& effect) const {
  if (effect.kind == EffectKind::Nothing) return false;
  for (std::uint64_t granule = effect.begin / kGranule; granule <= last_granule(effect); ++granule) {
    const auto found = granules_.find(key(effect, granule));
    if (found != granules_.end() && (effect.writes || (found->second & kWrite) != 0)) return true;
  }
  return false;
}

}  // namespace heddle::explain
