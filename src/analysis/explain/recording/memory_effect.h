#pragma once
#include <cstdint>
#include <unordered_map>
#include <vector>

#include "explain/recording/recording.h"

namespace heddle::explain {

enum class EffectKind : std::uint8_t {
  Nothing,
  Memory,   // reads, writes, frees
  Waiting,  // condition variables, semaphores, barriers, futexes, one-time initialisation
  Locking
};

// The bytes that an event accesses, or the object that it waits for, wakes or locks: what can conflict with other
// events.
struct MemoryEffect {
  EffectKind kind = EffectKind::Nothing;
  bool writes = false;
  bool frees = false;
  std::uint64_t begin = 0;  // object
  std::uint64_t end = 0;
};

// By event. A free affects the whole block if the recording has its allocation, else one byte.
std::vector<MemoryEffect> effects_of(const Recording& recording);

inline bool overlap(const MemoryEffect& a, const MemoryEffect& b) { return a.begin < b.end && b.begin < a.end; }

inline bool conflict(const MemoryEffect& a, const MemoryEffect& b) {
  return a.kind == b.kind && a.kind != EffectKind::Nothing && overlap(a, b) && (a.writes || b.writes);
}

// A set of effects. Compares granules of 8 bytes, so it may report conflicts that do not exist, but misses only those
// beyond the first 64 KB of a range.
class EffectSet {
 public:
  void add(const MemoryEffect& effect);
  bool may_conflict(const MemoryEffect& effect) const;

 private:
  std::unordered_map<std::uint64_t, std::uint8_t> granules_;
};

}  // namespace heddle::explain
