#pragma once
#include <cstdint>
#include <utility>
#include <vector>

#include "predict/model/model.h"

namespace heddle::predict {

// What a schedule is to bring about.
struct Goal {
  enum class Shape : std::uint8_t {
    Together,  // each event is its thread's next one, all at the same time: a race, a deadlock
    InOrder,   // all of them happen, as `before` says
  };
  Shape shape = Shape::Together;
  std::vector<NodeId> events;  // Together: of different threads
  // InOrder: pairs of indices into `events`, the first of each happens before the second.
  std::vector<std::pair<std::uint8_t, std::uint8_t>> before;
  // InOrder: this pair of indices happens with nothing in between.
  std::vector<std::pair<std::uint8_t, std::uint8_t>> adjacent;
};

// An event that a thread may meet others at without being able to do it: what it waits for need not have happened. (Nor
// for an acquire, whose lock is no requirement.)
constexpr bool is_waited_for(NodeKind kind) { return kind == NodeKind::Join || kind == NodeKind::Woken; }

// What a read must see for its thread to go on as it did. In the order in which they are tried.
enum class WitnessStrength : std::uint8_t {
  Strict,      // the write that it read from in the trace
  BranchFree,  // as Strict, but a read after which its thread decides nothing may see anything
  SameValue,   // the same value, whoever wrote it
  LocksOnly,   // anything: only locks and the partial order hold. Often refuted by execution
};
inline constexpr unsigned kWitnessStrengths = 4;

const char* strength_word(WitnessStrength strength);

}  // namespace heddle::predict
