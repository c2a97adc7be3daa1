#pragma once
#include <optional>
#include <vector>

#include "predict/witness/goal.h"

namespace heddle::predict {

// PECAN's Algorithms 3 and 4: moves the stretch of one thread that is in the way, from its outermost lock on, behind
// the other thread's event. Linear in the distance between the goal's events. The order begins at `start`; whether it
// is possible has still to be judged.
struct NestedSchedule {
  NodeId start;
  std::vector<NodeId> order;
};

// For a meeting of two, and for triples of which the first and the last event are of one thread and do not enclose the
// second already; else nullopt.
std::optional<NestedSchedule> nested_schedule(const Model& model, const Goal& goal);

}  // namespace heddle::predict
