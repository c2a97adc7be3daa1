#include <algorithm>
#include <unordered_map>

#include "predict/search/searches.h"

namespace heddle::predict {
namespace {

constexpr std::uint64_t kRaceKey = 1;

// Instances of a class in one thread, spread over the trace: the first, the second, the fourth, ... and the last.
struct Sample {
  ThreadIndex thread;
  std::uint32_t seen = 0;
  std::vector<NodeId> nodes;
  NodeId last = kNoNode;

  void add(NodeId id) {
    ++seen;
    if ((seen & (seen - 1)) == 0) nodes.push_back(id);
    last = id;
  }
};

struct AccessClass {
  std::uint32_t site;
  LockSetId locks;
  NodeKind kind;
  std::uint8_t flags;
  std::vector<Sample> threads;
};

// Linear in the accesses. Each access is compared with the one before it by another thread. Beyond these neighbours,
// the accesses to a location form classes by site, lockset and kind; a few instances per thread represent a class, and
// the search compares classes instead of events.
class RaceSearch {
 public:
  RaceSearch(const Model& model, std::span<const AnomalyPattern> patterns, const Contention& contention,
             CandidateSet& candidates)
      : model_(model), contention_(contention), candidates_(candidates) {
    for (const AnomalyPattern& pattern : patterns) {
      if (pattern.is_race()) wanted_.push_back(&pattern);
    }
  }

  void run() {
    if (wanted_.empty()) return;
    for (LocationId location = 0; location < model_.locations.size(); ++location)
      if (contention_.has(location)) search_location(model_.locations[location]);
  }

 private:
  void search_location(const std::vector<NodeId>& accesses) {
    classes_.clear();
    index_.clear();
    NodeId before = kNoNode, neighbour = kNoNode;
    for (const NodeId id : accesses) {
      const Node& node = model_.node(id);
      // The latest access by another thread.
      if (before != kNoNode && model_.node(before).thread != node.thread) neighbour = before;
      if (neighbour != kNoNode && model_.node(neighbour).thread != node.thread) consider(neighbour, id);
      before = id;
      sample(id);
    }
    for (std::size_t i = 0; i < classes_.size(); ++i) {
      for (std::size_t j = i; j < classes_.size(); ++j) compare(classes_[i], classes_[j]);
    }
  }

  void sample(NodeId id) {
    const Node& node = model_.node(id);
    const std::uint64_t key = static_cast<std::uint64_t>(node.site) << 32 ^
                              static_cast<std::uint64_t>(node.locks) << 8 ^ static_cast<std::uint64_t>(node.kind);
    const auto [known, added] = index_.try_emplace(key, classes_.size());
    if (added) classes_.push_back({node.site, node.locks, node.kind, node.flags, {}});
    std::vector<Sample>& threads = classes_[known->second].threads;
    auto own = std::ranges::find(threads, node.thread, &Sample::thread);
    if (own == threads.end()) own = threads.insert(own, Sample{.thread = node.thread, .nodes = {}});
    own->add(id);
  }

  bool conflict(const Node& a, const Node& b) const {
    if (!writes(a.kind) && !writes(b.kind)) return false;
    // Two atomics race only if one of them is relaxed; two frees are a different bug.
    if ((a.flags & b.flags & kAtomic) != 0 && ((a.flags | b.flags) & kRelaxed) == 0) return false;
    if (a.kind == NodeKind::Free && b.kind == NodeKind::Free) return false;
    return !model_.lock_sets.exclude(a.locks, b.locks);
  }

  CandidateKey key_of(const Node& a, const Node& b) const {
    const auto end = [&](const Node& node) {
      return static_cast<std::uint64_t>(model_.lines[node.site]) << 4 ^ static_cast<std::uint64_t>(node.kind);
    };
    return {kRaceKey, std::min(end(a), end(b)), std::max(end(a), end(b))};
  }

  // `a` precedes `b` in the trace.
  void consider(NodeId a, NodeId b) {
    const Node& first = model_.node(a);
    const Node& second = model_.node(b);
    if (!conflict(first, second)) return;
    const CandidateKey key = key_of(first, second);
    if (!candidates_.wants(key) || model_.ordered(a, b)) return;
    add(key, a, b);
  }

  void compare(const AccessClass& a, const AccessClass& b) {
    const Node& x = model_.node(a.threads.front().last);
    const Node& y = model_.node(b.threads.front().last);
    if (!conflict(x, y)) return;
    const CandidateKey key = key_of(x, y);
    if (!candidates_.wants(key)) return;
    for (const Sample& one : a.threads) {
      for (const Sample& other : b.threads) {
        if (one.thread != other.thread) compare(key, one, other);
      }
    }
  }

  void compare(const CandidateKey& key, const Sample& a, const Sample& b) {
    const auto try_pair = [&](NodeId x, NodeId y) {
      if (candidates_.wants(key) && !model_.ordered(std::min(x, y), std::max(x, y))) add(key, x, y);
    };
    // Each instance with its nearest: the more nodes lie in between, the more must be moved.
    for (const NodeId id : a.nodes) {
      const auto after = std::ranges::lower_bound(b.nodes, id);
      if (after != b.nodes.end()) try_pair(id, *after);
      if (after != b.nodes.begin()) try_pair(id, *std::prev(after));
    }
    try_pair(a.last, b.last);
  }

  void add(const CandidateKey& key, NodeId a, NodeId b) {
    const bool frees = model_.node(a).kind == NodeKind::Free || model_.node(b).kind == NodeKind::Free;
    // The order in the finding: that of the pattern; a free comes first, because that is the harmful order.
    if (model_.node(b).kind == NodeKind::Free || (!frees && find_pattern(a, b) == nullptr)) std::swap(a, b);
    const AnomalyPattern* pattern = find_pattern(a, b);
    if (pattern == nullptr && !frees) return;
    AnomalyCandidate candidate{.kind = frees ? AnomalyKind::UseAfterFree : AnomalyKind::DataRace,
                               .pattern = frees ? "use-after-free" : pattern->name};
    const std::uint8_t both = model_.node(a).flags & model_.node(b).flags;
    const std::uint8_t either = model_.node(a).flags | model_.node(b).flags;
    if ((both & kAtomic) != 0)
      candidate.race = RaceKind::Relaxed;
    else if ((either & kAtomic) != 0)
      candidate.race = RaceKind::Mismatched;
    candidates_.add(key, candidate, {Goal::Shape::Together, {a, b}});
  }

  const AnomalyPattern* find_pattern(NodeId a, NodeId b) const {
    const auto does = [&](NodeId id, Access access) {
      return access == Access::Read ? reads(model_.node(id).kind) : writes(model_.node(id).kind);
    };
    const auto found = std::ranges::find_if(wanted_, [&](const AnomalyPattern* pattern) {
      return does(a, pattern->events[0].access) && does(b, pattern->events[1].access);
    });
    return found == wanted_.end() ? nullptr : *found;
  }

  const Model& model_;
  const Contention& contention_;
  CandidateSet& candidates_;
  std::vector<const AnomalyPattern*> wanted_;
  std::vector<AccessClass> classes_;
  std::unordered_map<std::uint64_t, std::size_t> index_;
};

}  // namespace

void find_races(const Model& model, std::span<const AnomalyPattern> patterns, const Contention& contention,
                CandidateSet& candidates) {
  RaceSearch(model, patterns, contention, candidates).run();
}

}  // namespace heddle::predict
