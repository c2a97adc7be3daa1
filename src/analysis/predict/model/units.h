#pragma once
// Units of work: stretches of a thread that the programmer may have meant to be atomic.
#include <cstdint>
#include <vector>

namespace heddle::predict {

// In the order in which a finding prefers to name one.
enum class UnitKind : std::uint8_t {
  Region,           // HEDDLE_ATOMIC
  CriticalSection,  // outermost
  Function,         // an invocation that touches shared data, as far as the sites tell: see UnitTracker
  Stretch,          // between fork, join, wait and notify
};
inline constexpr unsigned kUnitKinds = 4;

const char* unit_kind_word(UnitKind kind);  // as `--units` and findings say it

struct Unit {
  std::uint32_t first;  // positions in the thread, both included
  std::uint32_t last;
  std::uint16_t thread;
  UnitKind kind;
};

// Sorted by kind, thread and first node. Units that touch fewer than two shared locations' accesses
// are left out: nothing can come between one.
using Units = std::vector<Unit>;

}  // namespace heddle::predict
