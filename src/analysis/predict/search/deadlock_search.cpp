#include <algorithm>
#include <unordered_map>

#include "predict/heuristics.h"
#include "predict/search/lock_graph.h"
#include "predict/search/searches.h"

namespace heddle::predict {
namespace {

constexpr std::uint64_t kDeadlockKey = 5;
constexpr std::uint64_t kLostWakeupKey = 6;
constexpr std::uint64_t kNestedWaitKey = 7;

// A thread that holds `locks` (and its own life) requests `wanted`.
struct Dependency {
  std::uint32_t wanted;  // vertex
  bool shared;           // requests a read hold
  ThreadIndex thread;
  LockSetId locks;
  std::vector<NodeId> nodes;
};

// A dependency is "holding these locks, requests that one". A cycle of dependencies is a deadlock if it has distinct
// threads and no lock that two of them hold (a gate); read holds do not block each other. The life of a thread counts
// as a lock that it holds from beginning to end and that a join of it requests, so that a join with a lock held that
// the joined thread takes is a cycle like any other. Only dependencies in a strongly connected component of the lock
// order are searched: an acyclic order costs one pass.
class DeadlockSearch {
 public:
  DeadlockSearch(const Model& model, const DeadlockLimits& limits, CandidateSet& candidates)
      : model_(model),
        limits_(limits),
        candidates_(candidates),
        lock_count_(static_cast<std::uint32_t>(model.locks.size())) {}

  void run() {
    collect();
    keep_cyclic();
    for (std::uint32_t first = 0; first < dependencies_.size(); ++first) {
      path_ = {first};
      extend();
    }
  }

 private:
  std::uint32_t life_of(ThreadIndex thread) const { return lock_count_ + thread; }

  void collect() {
    lives_matter_.resize(model_.threads.size());
    for (const NodeId id : model_.joins) {
      if (model_.node(id).locks == kNoLocks) continue;
      const auto joined = static_cast<ThreadIndex>(model_.node(id).object);
      lives_matter_[joined] = true;
      add(id, life_of(joined), false);
    }
    for (LockId lock = 0; lock < lock_count_; ++lock) {
      for (const NodeId id : model_.locks[lock]) {
        const Node& node = model_.node(id);
        if (node.locks != kNoLocks || lives_matter_[node.thread]) add(id, lock, node.kind == NodeKind::AcquireShared);
      }
    }
  }

  void add(NodeId id, std::uint32_t wanted, bool shared) {
    const Node& node = model_.node(id);
    const CandidateKey key{wanted, shared ? 1u : 0u, node.thread, node.locks, node.site};
    const auto [known, added] = index_.try_emplace(key.value(), dependencies_.size());
    if (added) dependencies_.push_back({wanted, shared, node.thread, node.locks, {}});
    std::vector<NodeId>& nodes = dependencies_[known->second].nodes;
    if (nodes.size() < kDependencyInstancesMax)
      nodes.push_back(id);
    else
      nodes.back() = id;  // keeps the latest
  }

  template <typename Function>
  void for_each_held(const Dependency& dependency, Function function) const {
    for (const LockHold& hold : model_.lock_sets.holds(dependency.locks)) function(hold.lock, hold.shared);
    if (lives_matter_[dependency.thread]) function(life_of(dependency.thread), false);
  }

  void keep_cyclic() {
    Graph order(lock_count_ + model_.threads.size());
    for (const Dependency& dependency : dependencies_) {
      for_each_held(dependency, [&](std::uint32_t held, bool) { order[held].push_back(dependency.wanted); });
    }
    const std::vector<std::uint32_t> components = cyclic_components(order);
    std::erase_if(dependencies_, [&](const Dependency& dependency) {
      bool in_cycle = false;
      for_each_held(dependency, [&](std::uint32_t held, bool) {
        in_cycle |= components[held] != kAcyclic && components[held] == components[dependency.wanted];
      });
      return !in_cycle;
    });
    by_held_.resize(order.size());
    for (std::uint32_t i = 0; i < dependencies_.size(); ++i) {
      for_each_held(dependencies_[i], [&](std::uint32_t held, bool) { by_held_[held].push_back(i); });
    }
  }

  bool blocks(const Dependency& holder, const Dependency& waiter) const {
    bool found = false;
    for_each_held(
        holder, [&](std::uint32_t held, bool shared) { found |= held == waiter.wanted && !(shared && waiter.shared); });
    return found;
  }

  void extend() {
    if (++steps_ > limits_.steps_max) return;
    const Dependency& last = dependencies_[path_.back()];
    if (path_.size() > 1 && blocks(dependencies_[path_.front()], last)) finish();
    if (path_.size() == limits_.threads_max) return;
    for (const std::uint32_t next : by_held_[last.wanted]) {
      // A cycle is found once: from its first dependency.
      if (next <= path_.front() || !blocks(dependencies_[next], last) || !may_join_path(dependencies_[next])) continue;
      path_.push_back(next);
      extend();
      path_.pop_back();
    }
  }

  bool may_join_path(const Dependency& dependency) const {
    return std::ranges::none_of(path_, [&](std::uint32_t i) {
      return dependencies_[i].thread == dependency.thread ||
             model_.lock_sets.exclude(dependencies_[i].locks, dependency.locks);
    });
  }

  void finish() {
    std::vector<std::uint64_t> lines;
    for (const std::uint32_t i : path_) {
      lines.push_back(static_cast<std::uint64_t>(dependencies_[i].wanted) << 32 |
                      model_.line(dependencies_[i].nodes.front()));
    }
    std::ranges::sort(lines);
    CandidateKey key{kDeadlockKey};
    for (const std::uint64_t line : lines) key.add(line);
    AnomalyCandidate candidate{.kind = AnomalyKind::Deadlock, .pattern = "cycle"};
    // The first instances together, the last together; other combinations seldom differ.
    for (const bool latest : {false, true}) {
      Goal goal;
      for (const std::uint32_t i : path_) {
        const std::vector<NodeId>& nodes = dependencies_[i].nodes;
        goal.events.push_back(latest ? nodes.back() : nodes.front());
        if (model_.node(goal.events.back()).kind == NodeKind::Join) candidate.pattern = "join";
      }
      if (candidates_.wants(key) && concurrent(goal.events)) candidates_.add(key, candidate, std::move(goal));
    }
  }

  bool concurrent(const std::vector<NodeId>& nodes) const {
    for (const NodeId a : nodes) {
      for (const NodeId b : nodes) {
        // In the trace a join is after its whole thread; the deadlock prevents exactly that.
        if (a < b && model_.node(b).kind != NodeKind::Join && model_.ordered(a, b)) return false;
      }
    }
    return true;
  }

  const Model& model_;
  const DeadlockLimits limits_;
  CandidateSet& candidates_;
  const std::uint32_t lock_count_;
  std::vector<Dependency> dependencies_;
  std::unordered_map<std::uint64_t, std::size_t> index_;
  std::vector<bool> lives_matter_;  // by thread: another thread joins it with a lock held
  std::vector<std::vector<std::uint32_t>> by_held_;
  std::vector<std::uint32_t> path_;
  std::uint64_t steps_ = 0;
};

// A wait that ended with a notify which could have come before it. Only another notify then ends the wait. Later
// notifies in the trace prove little: they may depend on the waiter.
void consider_lost_wakeup(const Model& model, NodeId wait, NodeId notify, CandidateSet& candidates) {
  const CandidateKey key{kLostWakeupKey, model.line(wait), model.line(notify)};
  if (!candidates.wants(key) || model.ordered(wait, notify)) return;
  candidates.add(key, {.kind = AnomalyKind::LostWakeup, .pattern = "notify-before-wait"},
                 {Goal::Shape::InOrder, {notify, wait}, {{0, 1}}});
}

// A wait with a lock held that the notifier takes before the notify: a deadlock of the two threads.
void consider_nested_wait(const Model& model, NodeId wait, NodeId woken, CandidateSet& candidates) {
  const NodeId notify = model.node(woken).link;
  for (const LockHold& hold : model.lock_sets.holds(model.node(wait).locks)) {
    const std::vector<NodeId>& acquires_of_lock = model.locks[hold.lock];
    // The last acquire of the notifier before the notify.
    auto place = std::ranges::lower_bound(acquires_of_lock, notify);
    while (place != acquires_of_lock.begin() && model.node(*std::prev(place)).thread != model.node(notify).thread)
      --place;
    if (place == acquires_of_lock.begin()) continue;
    const NodeId acquire = *std::prev(place);
    const LockHold wanted{hold.lock, model.node(acquire).kind == NodeKind::AcquireShared};
    if (!hold.excludes(wanted) || model.ordered(acquire, wait)) continue;
    const CandidateKey key{kNestedWaitKey, model.line(wait), model.line(acquire)};
    if (!candidates.wants(key)) continue;
    candidates.add(key, {.kind = AnomalyKind::Deadlock, .pattern = "wait"}, {Goal::Shape::Together, {woken, acquire}});
  }
}

}  // namespace

void find_deadlocks(const Model& model, const DeadlockLimits& limits, CandidateSet& candidates) {
  DeadlockSearch(model, limits, candidates).run();
  for (const NodeId woken : model.wakeups) {
    const Node& node = model.node(woken);
    if (node.link == kNoNode) continue;
    const NodeId wait = model.at(node.thread, node.position - 1);
    if (model.node(wait).kind != NodeKind::Wait) continue;
    consider_lost_wakeup(model, wait, node.link, candidates);
    consider_nested_wait(model, wait, woken, candidates);
  }
}

}  // namespace heddle::predict
