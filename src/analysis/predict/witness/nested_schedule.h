#pragma once
#include <optional>
#include <vector>

#include "predict/witness/goal.h"

namespace heddle::predict {

// PECAN's Algorithms 3 and 4: move the part of one thread that is in the way, from its outermost lock on, behind the
// event of the other thread. Linear in the distance between the goal's events. The order begins at `start`; the caller
// checks with is_possible() whether it can happen.
struct NestedSchedule {
  NodeId start;
  std::vector<NodeId> order;
};

// For two events together, and for triples whose first and last event are of one thread and do not enclose the second
// in the trace; nullopt for other goals.
std::optional<NestedSchedule> nested_schedule(const Model& model, const Goal& goal);

}  // namespace heddle::predict
