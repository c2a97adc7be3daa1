#pragma once
// What events have to do with each other: bytes that they touch, objects that they wait for.
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

// The part of an event that can conflict with another one's.
struct MemoryEffect {
  EffectKind kind = EffectKind::Nothing;
  bool writes = false;
  bool frees = false;
  std::uint64_t begin = 0;  // object
  std::uint64_t end = 0;
};

// By event. A free touches the whole block, as far as its allocation is in the recording.
std::vector<MemoryEffect> effects_of(const Recording& recording);

inline bool conflict(const MemoryEffect& a, const MemoryEffect& b) {
  return a.kind == b.kind && a.kind != EffectKind::Nothing && a.begin < b.end && b.begin < a.end &&
         (a.writes || b.writes);
}

// Answers quickly whether anything in a set of touches may conflict with a given one.
class EffectSet {
 public:
  void add(const MemoryEffect& touch);
  bool may_conflict(const MemoryEffect& touch) const;

 private:
  std::unordered_map<std::uint64_t, std::uint8_t> granules_;
};

}  // namespace heddle::explain
