#include "predict/witness/witness_finder.h"

#include <algorithm>

#include "predict/heuristics.h"
#include "predict/witness/nested_schedule.h"
#include "predict/witness/order_search.h"
#include "predict/witness/window.h"

namespace heddle::predict {
namespace {

// True if the trace itself is a witness.
bool happened(const Goal& goal) {
  return goal.shape == Goal::Shape::InOrder && goal.adjacent.empty() &&
         std::ranges::all_of(goal.before,
                             [&](const auto& pair) { return goal.events[pair.first] < goal.events[pair.second]; });
}

Witness as_it_happened(const Model& model, const Goal& goal) {
  Witness witness;
  std::vector<NodeId> events = goal.events;
  std::ranges::sort(events);
  for (const NodeId id : events) witness.anomaly.push_back(model.node(id).step);
  witness.prefix_end = witness.anomaly.back() + 1;
  return witness;
}

NodeId distance(const Goal& goal) { return std::ranges::max(goal.events) - std::ranges::min(goal.events); }

}  // namespace

bool WitnessFinder::has_data_for(WitnessStrength strength) const {
  if (strength == WitnessStrength::BranchFree) return !model_.gaps.no_branches;
  if (strength == WitnessStrength::SameValue) return !model_.gaps.no_values;
  return true;
}

std::optional<Witness> WitnessFinder::find(const Goal& goal, WitnessStrength first, WitnessStrength last) const {
  if (first == WitnessStrength::Strict && happened(goal)) return as_it_happened(model_, goal);
  for (unsigned strength = static_cast<unsigned>(first); strength <= static_cast<unsigned>(last); ++strength) {
    if (!has_data_for(static_cast<WitnessStrength>(strength))) continue;
    if (std::optional<Witness> witness = find_at(goal, static_cast<WitnessStrength>(strength))) return witness;
  }
  return std::nullopt;
}

std::optional<Witness> WitnessFinder::find_at(const Goal& goal, WitnessStrength strength) const {
  if (distance(goal) > effort_.window_nodes_max) return std::nullopt;
  if (const auto nested = nested_schedule(model_, goal);
      nested && is_possible(model_, goal, strength, nested->start, nested->order)) {
    return make_witness(model_, goal, strength, nested->start, nested->order);
  }
  return search(goal, strength, strength == WitnessStrength::Strict ? effort_ : effort_.reduced());
}

// Requirements, reads-from and program order all point backwards in the trace. A contradiction among them therefore
// lies between the goal's events, and neither an earlier start nor another order of locks removes it.
bool WitnessFinder::is_ruled_out_by_order(const Goal& goal, WitnessStrength strength, NodeId start) const {
  const Cut cut = close_backwards(model_, goal, start, strength, LockRule::Ignore);
  if (!cut.reachable) return true;
  const Window window(model_, goal, cut, strength, LockRule::Ignore);
  Adjacency successors;
  successors.assign(window);
  return !visit_in_order(window, successors, [](Window::Local) {});
}

std::optional<Witness> WitnessFinder::search(const Goal& goal, WitnessStrength strength,
                                             const WitnessEffort& effort) const {
  const NodeId last = std::ranges::max(goal.events);
  NodeId nearest = last, acquire = last;
  for (const NodeId id : goal.events) {
    nearest = std::min(nearest, model_.first_of_event(id));
    acquire = std::min(acquire, model_.outermost_acquire(id));
  }
  if (is_ruled_out_by_order(goal, strength, nearest)) return std::nullopt;
  std::vector<NodeId> starts{nearest};
  if (acquire < nearest) starts.push_back(acquire);
  while (starts.back() != 0 && starts.size() < effort.windows_max) {
    const NodeId size = std::max(last - starts.back(), kWindowMin);
    starts.push_back(size > last / kWiden ? 0 : model_.first_of_event(last - size * kWiden));
  }
  Budget left{effort.steps_max, effort.nodes_max};
  for (const NodeId start : starts) {
    if (last - start > effort.window_nodes_max && start != starts.front()) break;
    if (std::optional<Witness> witness = search_from(goal, strength, start, effort, left)) return witness;
  }
  return std::nullopt;
}

std::optional<Witness> WitnessFinder::search_from(const Goal& goal, WitnessStrength strength, NodeId start,
                                                  const WitnessEffort& effort, Budget& left) const {
  std::vector<std::vector<NodeId>> choices{{}};  // sets of sections to flip, by size
  for (std::size_t tried = 0; tried < choices.size() && left.steps > 0 && left.nodes > 0; ++tried) {
    const Cut cut = close_backwards(model_, goal, start, strength, LockRule::Exclude, choices[tried]);
    for (const NodeId section : cut.choices) {
      std::vector<NodeId> more = choices[tried];
      if (std::ranges::binary_search(more, section)) continue;
      more.push_back(section);
      std::ranges::sort(more);
      if (choices.size() <= effort.choices_max && std::ranges::find(choices, more) == choices.end()) {
        choices.push_back(std::move(more));
      }
    }
    if (!cut.reachable) continue;
    std::size_t size = 0;
    for (std::size_t thread = 0; thread < cut.base.size(); ++thread) size += cut.end[thread] - cut.base[thread];
    if (size > effort.window_nodes_max) return std::nullopt;
    left.nodes -= std::min<std::uint64_t>(left.nodes, size);
    Window window(model_, goal, cut, strength, LockRule::Exclude);
    if (!saturate(window)) continue;
    OrderSearch search(window, goal, size + left.steps);
    if (const auto order = search.run()) return make_witness(model_, goal, strength, start, *order);
    left.steps -= std::min(left.steps, search.steps());
  }
  return std::nullopt;
}

}  // namespace heddle::predict
