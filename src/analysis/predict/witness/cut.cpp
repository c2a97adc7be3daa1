#include "predict/witness/cut.h"

#include <algorithm>
#include <limits>

#include "predict/heuristics.h"

namespace heddle::predict {
namespace {

constexpr std::uint32_t kUnlimited = std::numeric_limits<std::uint32_t>::max();

// Grows the cut to a fixpoint. extend() adds nodes to a thread; scan() visits the added nodes and extends the cut by
// what they need: the write of a read, the events that the partial order requires. Two conditions are only known for
// the whole cut and are checked again after each scan: a read is free only while no branch of its thread follows it
// within the cut, and of conflicting open sections of a lock only one can stay open. `limit` is where a thread must
// stop because its next event is a goal; a cut that needs more is not reachable.
class Closure {
 public:
  Closure(const Model& model, const Goal& goal, WitnessStrength strength, LockRule locks,
          const std::vector<NodeId>& flipped)
      : model_(model), goal_(goal), strength_(strength), locks_(locks), flipped_(flipped) {}

  Cut run(NodeId start) {
    cut_.reachable = begin(start) && reach_fixpoint();
    return std::move(cut_);
  }

 private:
  struct Hold {
    LockId lock;
    NodeId acquire;
    bool before_window;
    bool operator<(const Hold& other) const { return std::tie(lock, acquire) < std::tie(other.lock, other.acquire); }
  };

  bool begin(NodeId start) {
    const std::size_t threads = model_.threads.size();
    cut_.start = start;
    cut_.base.resize(threads);
    for (ThreadIndex thread = 0; thread < threads; ++thread) cut_.base[thread] = model_.position_at(thread, start);
    cut_.end = scanned_ = cut_.base;
    cut_.limit.assign(threads, kUnlimited);
    for (const NodeId target : goal_.events) {
      const Node& node = model_.node(target);
      if (goal_.shape == Goal::Shape::InOrder) {
        if (!extend(target)) return false;
        continue;
      }
      const std::uint32_t stop = model_.node(model_.first_of_event(target)).position;
      cut_.limit[node.thread] = stop;
      cut_.end[node.thread] = stop;
      to_scan_.push_back(node.thread);
      // The targets do not happen, but what the partial order requires for them does.
      if (is_waited_for(node.kind)) continue;
      for (const OrderEdge& edge : model_.requirements_of(model_.first_of_event(target))) {
        if (!extend(edge.before)) return false;
      }
    }
    for (ThreadIndex thread = 0; thread < threads; ++thread) {
      const std::uint32_t position = cut_.base[thread];
      // After its last node a thread never releases what it holds, and there is no node to find the acquire from.
      if (position == model_.threads[thread].size()) continue;
      for (const LockHold& hold : model_.lock_sets.holds(model_.locks_before(thread, position)))
        holds_.push_back({hold.lock, model_.acquire_of(model_.at(thread, position), hold.lock), true});
    }
    return true;
  }

  bool reach_fixpoint() {
    for (;;) {
      while (!to_scan_.empty()) {
        const ThreadIndex thread = to_scan_.back();
        to_scan_.pop_back();
        if (!scan(thread)) return false;
      }
      if (!bind_formerly_free_reads()) return false;
      if (!to_scan_.empty()) continue;
      if (locks_ == LockRule::Exclude && !settle_locks()) return false;
      if (to_scan_.empty()) break;
    }
    cut_.free_reads = skipped_reads_;
    std::ranges::sort(cut_.free_reads);
    return true;
  }

  bool extend(NodeId id) {
    if (id < cut_.start) return true;
    const Node& node = model_.node(model_.last_of_event(id));
    const std::uint32_t end = node.position + 1;
    if (end <= cut_.end[node.thread]) return true;
    if (end > cut_.limit[node.thread]) return false;
    cut_.end[node.thread] = end;
    to_scan_.push_back(node.thread);
    return true;
  }

  bool scan(ThreadIndex thread) {
    for (std::uint32_t& position = scanned_[thread]; position < cut_.end[thread]; ++position) {
      const NodeId id = model_.at(thread, position);
      const Node& node = model_.node(id);
      if (reads(node.kind)) {
        if (is_free(id))
          skipped_reads_.push_back(id);
        else if (!include_writer(id))
          return false;
      }
      if (acquires(node.kind)) holds_.push_back({node.object, id, false});
      for (const OrderEdge& edge : model_.requirements_of(id)) {
        if (!extend(edge.before)) return false;
      }
    }
    return true;
  }

  // A read may see any value if nothing that depends on it happens within the cut.
  bool is_free(NodeId id) const {
    const Node& node = model_.node(id);
    if (strength_ == WitnessStrength::LocksOnly) return true;
    if (node.position + 1 == cut_.end[node.thread] && std::ranges::find(goal_.events, id) != goal_.events.end())
      return true;
    if (strength_ != WitnessStrength::BranchFree) return false;
    const std::vector<std::uint32_t>& branches = model_.branches[node.thread];
    const auto next = std::ranges::upper_bound(branches, node.position);
    // The branch before the event of the goal decides whether the thread reaches it.
    const bool meets = cut_.end[node.thread] == cut_.limit[node.thread];
    return next == branches.end() || *next >= cut_.end[node.thread] + (meets ? 1 : 0);
  }

  bool include_writer(NodeId id) {
    const Node& read = model_.node(id);
    if (read.link == kNoNode || read.link < cut_.start) return true;
    if (extend(read.link)) return true;
    if (strength_ != WitnessStrength::SameValue || (read.flags & kHasValue) == 0) return false;
    // Another writer of the value, the nearest first.
    const std::vector<NodeId>& accesses = model_.locations[read.object];
    auto place = std::ranges::lower_bound(accesses, id);
    for (std::size_t count = 0; count < kOtherWritersMax && place != accesses.begin(); ++count) {
      const Node& other = model_.node(*--place);
      if (!writes(other.kind) || (other.flags & kHasValue) == 0 || other.value != read.value) continue;
      if (*place < cut_.start || extend(*place)) return true;
    }
    return false;
  }

  bool bind_formerly_free_reads() {
    bool reachable = true;
    std::erase_if(skipped_reads_, [&](NodeId id) {
      if (is_free(id)) return false;
      reachable = reachable && include_writer(id);
      return true;
    });
    return reachable;
  }

  bool is_closed(const Hold& hold) const {
    const NodeId release = model_.node(hold.acquire).link;
    return release != kNoNode && cut_.includes(model_.node(release));
  }

  bool can_close(const Hold& hold) const {
    const Node& acquire = model_.node(hold.acquire);
    return acquire.link != kNoNode && model_.node(acquire.link).position < cut_.limit[acquire.thread];
  }

  bool conflict(const Hold& a, const Hold& b) const {
    const Node& x = model_.node(a.acquire);
    const Node& y = model_.node(b.acquire);
    return x.thread != y.thread && !(x.kind == NodeKind::AcquireShared && y.kind == NodeKind::AcquireShared);
  }

  bool settle_locks() {
    std::ranges::sort(holds_, std::less<>());
    for (std::size_t first = 0; first < holds_.size();) {
      std::size_t last = first;
      while (last < holds_.size() && holds_[last].lock == holds_[first].lock) ++last;
      if (!settle_lock(std::span(holds_).subspan(first, last - first))) return false;
      first = last;
    }
    return true;
  }

  bool settle_lock(std::span<const Hold> holds) {
    // A thread has at most one open hold, its last.
    std::vector<Hold> open;
    for (const Hold& hold : holds) {
      if (!is_closed(hold)) open.push_back(hold);
    }
    const auto forced_last = [&](const Hold& hold) { return !hold.before_window && !can_close(hold); };
    for (const Hold& hold : open) {
      const auto conflicting = [&](const Hold& other) { return conflict(hold, other); };
      if (std::ranges::none_of(holds, conflicting)) continue;
      bool close = hold.before_window;
      if (!close) {
        const bool other_is_last =
            std::ranges::any_of(open, [&](const Hold& other) { return conflict(hold, other) && forced_last(other); });
        if (forced_last(hold)) {
          if (other_is_last) return false;
        } else if (other_is_last) {
          close = true;
        } else {
          close = std::ranges::any_of(
              holds, [&](const Hold& other) { return other.acquire > hold.acquire && conflict(hold, other); });
          if (std::ranges::find(flipped_, hold.acquire) != flipped_.end()) close = !close;
          cut_.choices.push_back(hold.acquire);
        }
      }
      if (close && (!can_close(hold) || !extend(model_.node(hold.acquire).link))) return false;
    }
    return true;
  }

  const Model& model_;
  const Goal& goal_;
  const WitnessStrength strength_;
  const LockRule locks_;
  const std::vector<NodeId>& flipped_;
  Cut cut_;
  std::vector<std::uint32_t> scanned_;
  std::vector<Hold> holds_;
  std::vector<NodeId> skipped_reads_;
  std::vector<ThreadIndex> to_scan_;
};

}  // namespace

Cut close_backwards(const Model& model, const Goal& goal, NodeId start, WitnessStrength strength, LockRule locks,
                    const std::vector<NodeId>& flipped) {
  return Closure(model, goal, strength, locks, flipped).run(start);
}

}  // namespace heddle::predict
