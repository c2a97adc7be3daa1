#pragma once
#include <cstdint>
#include <vector>

#include "predict/witness/goal.h"

namespace heddle::predict {

// The nodes that each thread executes to reach a goal, if everything before `start` happens as in the trace.
struct Cut {
  bool reachable = false;  // false: the goal cannot be reached from `start`, and only `choices` is valid
  NodeId start = 0;
  std::vector<std::uint32_t> base;   // by thread: nodes before `start`
  std::vector<std::uint32_t> end;    // by thread: nodes that happen
  std::vector<std::uint32_t> limit;  // by thread: `end` may not exceed it
  std::vector<NodeId> free_reads;    // sorted; these may see any value
  // Acquires of sections that either stay open, and come last, or are closed, and come earlier. By default in the order
  // of the trace.
  std::vector<NodeId> choices;

  bool includes(const Node& node) const { return node.position < end[node.thread]; }
  bool in_window(const Node& node) const { return node.position >= base[node.thread] && includes(node); }
};

enum class LockRule : std::uint8_t { Exclude, Ignore };

// Closes the goal backwards under program order, reads-from, the partial order and locks. Critical sections keep their
// order if nothing contradicts it, except for the `flipped` choices.
// REQUIRES: `start` is the first node of its event, and no event of the goal precedes it.
Cut close_backwards(const Model& model, const Goal& goal, NodeId start, WitnessStrength strength, LockRule locks,
                    const std::vector<NodeId>& flipped = {});

}  // namespace heddle::predict
