#pragma once
// Units of work: parts of a thread that the programmer may have meant to be atomic.
#include <cstdint>
#include <vector>

namespace heddle::predict {

// In the order in which a finding prefers to name them.
enum class UnitKind : std::uint8_t {
  Region,           // HEDDLE_ATOMIC
  CriticalSection,  // outermost
  Function,         // an invocation that touches shared data, derived from the sites: see UnitTracker
  Stretch,          // between fork, join, wait and notify
};
inline constexpr unsigned kUnitKinds = 4;

const char* unit_kind_word(UnitKind kind);  // in `--units` and in findings

struct Unit {
  std::uint32_t first;  // positions in the thread, both included
  std::uint32_t last;
  std::uint16_t thread;
  UnitKind kind;
};

// Sorted by kind, thread and first node. A unit with fewer than two accesses to shared locations is skipped: no other
// thread can interleave with it.
using Units = std::vector<Unit>;

}  // namespace heddle::predict
