#pragma once
#include <cstdint>
#include <utility>
#include <vector>

#include "predict/model/model.h"

namespace heddle::predict {

// The events that a schedule must reach.
struct Goal {
  enum class Shape : std::uint8_t {
    Together,  // each event is the next one of its thread, all at the same time: a race, a deadlock
    InOrder,   // all events happen, ordered by `before`
  };
  Shape shape = Shape::Together;
  std::vector<NodeId> events = {};  // Together: of different threads
  // InOrder: pairs of indices into `events`; the first happens before the second.
  std::vector<std::pair<std::uint8_t, std::uint8_t>> before = {};
  // InOrder: pairs of indices into `events` with no event in between.
  std::vector<std::pair<std::uint8_t, std::uint8_t>> adjacent = {};
};

// True for an event that a thread can reach before its requirement has happened. (An acquire is not one: its lock is
// not a requirement.)
constexpr bool is_waited_for(NodeKind kind) { return kind == NodeKind::Join || kind == NodeKind::Woken; }

// What a read must see so that its thread continues as in the trace. In the order in which they are tried.
enum class WitnessStrength : std::uint8_t {
  Strict,      // the write that it read from in the trace
  BranchFree,  // as Strict, but a read without a later branch of its thread may see any value
  SameValue,   // the same value, of any writer
  LocksOnly,   // any value: only locks and the partial order hold. Execution often refutes it
};
inline constexpr unsigned kWitnessStrengths = 4;

const char* strength_word(WitnessStrength strength);

}  // namespace heddle::predict
