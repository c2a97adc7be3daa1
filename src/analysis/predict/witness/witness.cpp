#include "predict/witness/witness.h"

#include <algorithm>
#include <unordered_map>

namespace heddle::predict {

const char* strength_word(WitnessStrength strength) {
  constexpr const char* kWords[] = {"strict", "branch_free", "same_value", "locks_only"};
  static_assert(std::size(kWords) == kWitnessStrengths);
  return kWords[static_cast<unsigned>(strength)];
}

Witness make_witness(const Model& model, const Goal& goal, WitnessStrength strength, NodeId start,
                     const std::vector<NodeId>& order) {
  Witness witness;
  witness.strength = strength;
  witness.meeting = goal.shape == Goal::Shape::Together;
  const bool starts_at_end = start >= model.nodes.size();
  witness.prefix_end = starts_at_end ? model.node(model.nodes.size() - 1).step + 1 : model.node(start).step;
  const auto run_until = [&](ThreadIndex thread, trace::StepIndex end) {
    if (!witness.runs.empty() && witness.runs.back().thread == ThreadId{thread})
      witness.runs.back().end = end;
    else
      witness.runs.push_back({ThreadId{thread}, end});
  };
  for (const NodeId id : order) run_until(model.node(id).thread, trace::StepIndex{model.node(id).step} + 1);
  if (witness.meeting) {
    for (const NodeId id : goal.events) {
      run_until(model.node(id).thread, model.node(id).step);
      witness.anomaly.push_back(model.node(id).step);
    }
    return witness;
  }
  std::vector<NodeId> events = goal.events;
  std::unordered_map<NodeId, std::size_t> place;
  for (std::size_t i = 0; i < order.size(); ++i) place[order[i]] = i;
  std::ranges::sort(events, {}, [&](NodeId id) { return place[id]; });
  for (const NodeId id : events) witness.anomaly.push_back(model.node(id).step);
  return witness;
}

namespace {

// Executes an order node by node against the rules: requirements, locks, the writes that reads must see.
class Player {
 public:
  Player(const Model& model, const Goal& goal, WitnessStrength strength, NodeId start)
      : model_(model), goal_(goal), strength_(strength), start_(start) {
    for (ThreadIndex thread = 0; thread < model.threads.size(); ++thread) {
      next_.push_back(model.position_at(thread, start));
      for (const LockHold& hold : model.lock_sets.holds(model.locks_before(thread, next_.back()))) {
        ++(hold.shared ? shared_ : exclusive_)[hold.lock];
      }
    }
  }

  bool play(const std::vector<NodeId>& order) {
    // The end of each thread decides which reads are its last.
    end_ = next_;
    for (const NodeId id : order)
      end_[model_.node(id).thread] = std::max(end_[model_.node(id).thread], model_.node(id).position + 1);
    for (std::size_t i = 0; i < order.size(); ++i) {
      const bool event_is_whole =
          model_.last_of_event(order[i]) == order[i] || (i + 1 < order.size() && order[i + 1] == order[i] + 1);
      if (!event_is_whole || !happens(order[i])) return false;
    }
    return reached(order);
  }

 private:
  bool has_happened(NodeId id) const { return model_.node(id).position < next_[model_.node(id).thread]; }

  bool happens(NodeId id) {
    const Node& node = model_.node(id);
    if (node.position != next_[node.thread]) return false;
    for (const OrderEdge& edge : model_.requirements_of(id)) {
      if (!has_happened(edge.before)) return false;
    }
    // Events that must come later than this one have not happened. A wait that ends within the schedule was notified
    // after it began.
    for (const OrderEdge& edge : model_.orders) {
      const bool binds = model_.node(id).kind != NodeKind::Wait || node.position + 1 < end_[node.thread];
      if (edge.before == id && binds && has_happened(edge.after)) return false;
    }
    if (acquires(node.kind)) {
      if (exclusive_[node.object] != 0 || (node.kind == NodeKind::Acquire && shared_[node.object] != 0)) return false;
      ++(node.kind == NodeKind::AcquireShared ? shared_ : exclusive_)[node.object];
    }
    if (releases(node.kind)) --(node.kind == NodeKind::ReleaseShared ? shared_ : exclusive_)[node.object];
    if (reads(node.kind) && !may_see_any_value(id) && !sees_required_write(node)) return false;
    if (writes(node.kind)) last_write_[node.object] = id;
    ++next_[node.thread];
    return true;
  }

  bool may_see_any_value(NodeId id) const {
    const Node& node = model_.node(id);
    if (strength_ == WitnessStrength::LocksOnly) return true;
    if (node.position + 1 == end_[node.thread] && std::ranges::find(goal_.events, id) != goal_.events.end())
      return true;
    if (strength_ != WitnessStrength::BranchFree) return false;
    const bool meets = goal_.shape == Goal::Shape::Together &&
                       std::ranges::find(goal_.events, node.thread,
                                         [&](NodeId event) { return model_.node(event).thread; }) != goal_.events.end();
    return std::ranges::none_of(model_.branches[node.thread], [&](std::uint32_t branch) {
      return branch > node.position && branch < end_[node.thread] + (meets ? 1 : 0);
    });
  }

  bool sees_required_write(const Node& read) const {
    const auto written = last_write_.find(read.object);
    if (written == last_write_.end()) {
      if (read.link == kNoNode || read.link < start_) return true;
    } else if (written->second == read.link) {
      return true;
    }
    if (strength_ != WitnessStrength::SameValue || (read.flags & kHasValue) == 0) return false;
    if (written == last_write_.end()) return model_.value_before(read.object, start_) == read.value;
    const Node& write = model_.node(written->second);
    return write.kind == NodeKind::Write && (write.flags & kHasValue) != 0 && write.value == read.value;
  }

  bool reached(const std::vector<NodeId>& order) const {
    if (goal_.shape == Goal::Shape::Together) {
      return std::ranges::all_of(goal_.events, [&](NodeId id) {
        const NodeId first = model_.first_of_event(id);
        if (next_[model_.node(id).thread] != model_.node(first).position) return false;
        if (is_waited_for(model_.node(id).kind)) return true;
        return std::ranges::all_of(model_.requirements_of(first),
                                   [&](const OrderEdge& edge) { return has_happened(edge.before); });
      });
    }
    const auto place = [&](NodeId id) { return std::ranges::find(order, id) - order.begin(); };
    const auto happened = [&](NodeId id) { return place(id) != static_cast<std::ptrdiff_t>(order.size()); };
    return std::ranges::all_of(goal_.events, happened) &&
           std::ranges::all_of(
               goal_.before,
               [&](const auto& pair) { return place(goal_.events[pair.first]) < place(goal_.events[pair.second]); }) &&
           std::ranges::all_of(goal_.adjacent, [&](const auto& pair) {
             return place(model_.last_of_event(goal_.events[pair.first])) + 1 ==
                    place(model_.first_of_event(goal_.events[pair.second]));
           });
  }

  const Model& model_;
  const Goal& goal_;
  const WitnessStrength strength_;
  const NodeId start_;
  std::vector<std::uint32_t> next_, end_;
  std::unordered_map<LockId, unsigned> exclusive_, shared_;
  std::unordered_map<LocationId, NodeId> last_write_;
};

}  // namespace

bool is_possible(const Model& model, const Goal& goal, WitnessStrength strength, NodeId start,
                 const std::vector<NodeId>& order) {
  return Player(model, goal, strength, start).play(order);
}

}  // namespace heddle::predict
