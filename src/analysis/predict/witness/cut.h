#pragma once
#include <cstdint>
#include <vector>

#include "predict/witness/goal.h"

namespace heddle::predict {

// How far each thread has to go for a goal, when everything before `start` happened as in the trace.
struct Cut {
  bool reachable = false;  // else the goal cannot be reached from `start`, and only `choices` means anything
  NodeId start = 0;
  std::vector<std::uint32_t> base;   // by thread: nodes before `start`
  std::vector<std::uint32_t> end;    // by thread: nodes that happen
  std::vector<std::uint32_t> limit;  // by thread: `end` may not exceed it
  std::vector<NodeId> free_reads;    // sorted; these may see anything
  // Sections that are still open at the end, so that all others of their lock come before them.
  std::vector<NodeId> open_acquires;
  // Sections (their acquires) that could be left open, to come last, or be closed, to come earlier. The trace's order
  // of them was kept.
  std::vector<NodeId> choices;

  bool includes(const Node& node) const { return node.position < end[node.thread]; }
  bool in_window(const Node& node) const { return node.position >= base[node.thread] && includes(node); }
};

enum class LockRule : std::uint8_t { Exclude, Ignore };

// Closes the goal backwards under program order, reads-from, the partial order and locks. The order of critical
// sections is kept where nothing speaks against it, except for the `flipped` choices.
// REQUIRES: start is the first node of its event, and none of the goal's events comes before it.
Cut close_backwards(const Model& model, const Goal& goal, NodeId start, WitnessStrength strength, LockRule locks,
                    const std::vector<NodeId>& flipped = {});

}  // namespace heddle::predict
