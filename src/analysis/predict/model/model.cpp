#include "predict/model/model.h"

#include <algorithm>

namespace heddle::predict {

const std::uint32_t* Model::clock_at(NodeId id) const {
  const Node& node = nodes[id];
  const std::vector<ClockStart>& starts = clock_starts_[node.thread];
  const auto later = std::ranges::upper_bound(starts, node.position, {}, &ClockStart::position);
  const std::size_t row = later == starts.begin() ? 0 : std::prev(later)->clock;
  return clocks_.data() + row * threads.size();
}

bool Model::ordered(NodeId before, NodeId after) const {
  const Node& a = nodes[before];
  const Node& b = nodes[after];
  if (a.thread == b.thread) return a.position < b.position;
  return before < after && clock_at(after)[a.thread] > a.position;
}

std::uint32_t Model::position_at(ThreadIndex thread, NodeId limit) const {
  const std::vector<NodeId>& own = threads[thread];
  return static_cast<std::uint32_t>(std::ranges::lower_bound(own, limit) - own.begin());
}

LockSetId Model::locks_before(ThreadIndex thread, std::uint32_t position) const {
  return position < threads[thread].size() ? nodes[threads[thread][position]].locks : locks_at_end[thread];
}

NodeId Model::first_of_event(NodeId id) const {
  while ((nodes[id].flags & kContinues) != 0) --id;
  return id;
}

NodeId Model::last_of_event(NodeId id) const {
  while (id + 1 < nodes.size() && (nodes[id + 1].flags & kContinues) != 0) ++id;
  return id;
}

std::span<const OrderEdge> Model::edges_of(const std::vector<OrderEdge>& edges, NodeId id) {
  const auto range = std::ranges::equal_range(edges, id, {}, &OrderEdge::after);
  return {range.begin(), range.end()};
}

NodeId Model::acquire_of(NodeId id, LockId lock) const {
  const ThreadIndex thread = nodes[id].thread;
  const std::vector<NodeId>& acquired = locks[lock];
  auto place = std::ranges::lower_bound(acquired, id);
  // Acquires of other threads lie in between only if the lock is held for reading.
  while (nodes[*--place].thread != thread) {
  }
  return *place;
}

NodeId Model::outermost_acquire(NodeId id) const {
  NodeId first = first_of_event(id);
  for (const LockHold& hold : lock_sets.holds(nodes[id].locks)) first = std::min(first, acquire_of(id, hold.lock));
  return first;
}

bool Model::sections_exclude(NodeId a1, NodeId a2, NodeId b1, NodeId b2) const {
  for (const LockHold& hold : lock_sets.holds(nodes[a1].locks)) {
    const LockHold* other = lock_sets.find(nodes[b1].locks, hold.lock);
    if (other == nullptr || !hold.excludes(*other)) continue;
    if (holds_through(a1, a2, hold.lock) && holds_through(b1, b2, hold.lock)) return true;
  }
  return false;
}

bool Model::holds_through(NodeId from, NodeId to, LockId lock) const {
  return lock_sets.find(nodes[to].locks, lock) != nullptr && acquire_of(from, lock) == acquire_of(to, lock);
}

std::optional<std::uint32_t> Model::value_before(LocationId location, NodeId limit) const {
  const std::vector<NodeId>& accesses = locations[location];
  // The nearest earlier access decides: a write has the value it wrote, a read the value it saw. The result of an
  // update is not recorded.
  for (auto place = std::ranges::lower_bound(accesses, limit); place != accesses.begin();) {
    const Node& node = nodes[*--place];
    const bool has_value = (node.flags & kHasValue) != 0;
    if (has_value && (node.kind == NodeKind::Read || node.kind == NodeKind::Write)) return node.value;
    if (writes(node.kind)) return std::nullopt;
  }
  // Without an earlier write, the first read saw the initial value.
  for (const NodeId id : accesses) {
    const Node& node = nodes[id];
    if (reads(node.kind) && (node.flags & kHasValue) != 0) return node.value;
    if (writes(node.kind)) return std::nullopt;
  }
  return std::nullopt;
}

}  // namespace heddle::predict
