#include "predict/witness/nested_schedule.h"

#include <algorithm>

namespace heddle::predict {
namespace {

// The nodes from `from` up to `end`, divided into those that are after `from` in the partial order and the others.
struct Parts {
  std::vector<NodeId> others, dependents;
};

Parts split(const Model& model, NodeId from, NodeId end) {
  Parts parts;
  std::vector<NodeId> since(model.threads.size(), kNoNode);  // by thread: its first dependent node
  since[model.node(from).thread] = from;
  for (NodeId id = from; id < end; ++id) {
    NodeId& own = since[model.node(id).thread];
    for (const OrderEdge& edge : model.requirements_of(id))
      if (since[model.node(edge.before).thread] <= edge.before) own = std::min(own, id);
    (own <= id ? parts.dependents : parts.others).push_back(id);
  }
  return parts;
}

void append_below(std::vector<NodeId>& order, const std::vector<NodeId>& nodes, NodeId begin, NodeId end) {
  const auto first = std::ranges::lower_bound(nodes, begin);
  order.insert(order.end(), first, std::lower_bound(first, nodes.end(), end));
}

// Algorithm 3, up to the point at which both events are next.
NestedSchedule race_schedule(const Model& model, NodeId early, NodeId late) {
  const NodeId start = model.outermost_acquire(early);
  const Parts parts = split(model, start, model.first_of_event(late));
  NestedSchedule schedule{start, parts.others};
  append_below(schedule.order, parts.dependents, start, model.first_of_event(early));
  return schedule;
}

// A node after `i`, up to `j`, before which `k` can happen.
NodeId find_gap(const Model& model, NodeId i, NodeId k, NodeId j) {
  const ThreadIndex thread = model.node(i).thread;
  for (std::uint32_t position = model.node(i).position + 1; position <= model.node(j).position; ++position) {
    const NodeId x = model.at(thread, position);
    if ((model.node(x).flags & kContinues) == 0 && !model.lock_sets.exclude(model.node(x).locks, model.node(k).locks) &&
        !model.ordered(x, k) && !model.ordered(k, i)) {
      return x;
    }
  }
  return kNoNode;
}

// Algorithm 4 and its mirror. REQUIRES: `k` is not between `i` and `j` in the trace.
std::optional<NestedSchedule> triple_schedule(const Model& model, NodeId i, NodeId k, NodeId j) {
  const NodeId end = model.last_of_event(j) + 1;
  const NodeId after_k = model.last_of_event(k) + 1;
  const NodeId gap = find_gap(model, i, k, j);
  if (gap == kNoNode) return std::nullopt;
  if (k > j) {
    const NodeId start = model.outermost_acquire(gap);
    const Parts parts = split(model, start, after_k);
    NestedSchedule schedule{start, {}};
    append_below(schedule.order, parts.others, start, model.first_of_event(k));
    append_below(schedule.order, parts.dependents, start, gap);
    append_below(schedule.order, parts.others, model.first_of_event(k), after_k);
    append_below(schedule.order, parts.dependents, gap, end);
    return schedule;
  }
  const NodeId start = model.outermost_acquire(k);
  const Parts parts = split(model, start, end);
  NestedSchedule schedule{start, {}};
  append_below(schedule.order, parts.others, start, gap);
  append_below(schedule.order, parts.dependents, start, after_k);
  append_below(schedule.order, parts.others, gap, end);
  return schedule;
}

}  // namespace

std::optional<NestedSchedule> nested_schedule(const Model& model, const Goal& goal) {
  if (goal.shape == Goal::Shape::Together && goal.events.size() == 2) {
    return race_schedule(model, std::min(goal.events[0], goal.events[1]), std::max(goal.events[0], goal.events[1]));
  }
  if (goal.shape == Goal::Shape::InOrder && goal.events.size() == 3 && goal.adjacent.empty() &&
      model.node(goal.events[0]).thread == model.node(goal.events[2]).thread) {
    return triple_schedule(model, goal.events[0], goal.events[1], goal.events[2]);
  }
  return std::nullopt;
}

}  // namespace heddle::predict
