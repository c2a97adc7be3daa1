#include "predict/search/triple_search.h"

#include <algorithm>
#include <array>

#include "predict/heuristics.h"
#include "predict/search/flat_counters.h"

namespace heddle::predict {
namespace {

constexpr std::uint64_t kTripleKey = 2;

// Whether a lock that is held all the way from `i` to `j` keeps `k` out.
bool is_kept_out(const Model& model, NodeId i, NodeId k, NodeId j) {
  const LockSetId around = model.node(j).locks;
  for (const LockHold& hold : model.lock_sets.holds(model.node(i).locks)) {
    const LockHold* other = model.lock_sets.find(model.node(k).locks, hold.lock);
    if (other == nullptr || !hold.excludes(*other) || model.lock_sets.find(around, hold.lock) == nullptr) continue;
    if (model.acquire_of(i, hold.lock) == model.acquire_of(j, hold.lock)) return true;
  }
  return false;
}

class TripleSearch {
 public:
  TripleSearch(const Model& model, std::span<const AnomalyPattern> patterns, const Contention& contention,
               CandidateSet& candidates)
      : model_(model), contention_(contention), candidates_(candidates), last_(model.locations.size()) {
    const auto bit = [](const PatternEvent& event) { return event.access == Access::Read ? 1u : 2u; };
    for (const AnomalyPattern& pattern : patterns) {
      if (!pattern.is_triple()) continue;
      const unsigned asked = bit(pattern.events[0]) << 4 | bit(pattern.events[1]) << 2 | bit(pattern.events[2]);
      for (unsigned done = 0; done < by_accesses_.size(); ++done) {
        if ((done & asked) == asked && by_accesses_[done] == nullptr) by_accesses_[done] = &pattern;
      }
    }
  }

  void run(unsigned unit_kinds) {
    for (const Unit& unit : model_.units) {
      if ((unit_kinds >> static_cast<unsigned>(unit.kind) & 1) != 0) search_unit(unit);
    }
  }

 private:
  struct Last {
    std::uint32_t unit = 0;  // that the rest is of
    NodeId read = kNoNode, write = kNoNode;
  };

  void search_unit(const Unit& unit) {
    ++unit_number_;
    for (const std::uint32_t position : contention_.positions(unit.thread, unit.first, unit.last)) {
      const NodeId id = model_.at(unit.thread, position);
      const Node& node = model_.node(id);
      if (node.kind == NodeKind::Free) continue;
      Last& last = last_[node.object];
      if (last.unit != unit_number_) last = {unit_number_, kNoNode, kNoNode};
      if (last.read != kNoNode) consider_pair(last.read, id, unit.kind);
      if (last.write != kNoNode && last.write != last.read) consider_pair(last.write, id, unit.kind);
      if (reads(node.kind)) last.read = id;
      if (writes(node.kind)) last.write = id;
    }
  }

  void consider_pair(NodeId i, NodeId j, UnitKind unit) {
    const Node& a = model_.node(i);
    const Node& b = model_.node(j);
    CandidateKey repeated{a.site, b.site, a.object, static_cast<std::uint64_t>(unit), a.thread};
    const std::uint32_t seen = seen_.add(repeated.value());
    if ((seen & (seen - 1)) != 0) return;
    const std::vector<NodeId>& accesses = model_.locations[a.object];
    const auto before = std::ranges::lower_bound(accesses, i);
    const auto after = std::ranges::upper_bound(accesses, j);
    std::size_t looked = 0;
    for (auto k = before; k != after && looked < kNeighbours; ++k) looked += consider(i, *k, j, unit);
    looked = 0;
    for (auto k = after; k != accesses.end() && looked < kNeighbours; ++k) looked += consider(i, *k, j, unit);
    looked = 0;
    for (auto k = before; k != accesses.begin() && looked < kNeighbours;) looked += consider(i, *--k, j, unit);
  }

  // Whether it is of another thread at all.
  bool consider(NodeId i, NodeId k, NodeId j, UnitKind unit) {
    const Node& other = model_.node(k);
    if (other.thread == model_.node(i).thread) return false;
    const AnomalyPattern* pattern = find_pattern(i, k, j);
    if (pattern == nullptr) return true;
    const CandidateKey key{kTripleKey, model_.line(i), model_.line(k), model_.line(j), kinds(i, k, j)};
    // What comes in between in every execution, as a thread that is made and joined there, breaks nothing.
    if (model_.ordered(i, k) && model_.ordered(k, j)) return true;
    if (!candidates_.wants(key) || model_.ordered(k, i) || model_.ordered(j, k) || is_kept_out(model_, i, k, j)) {
      return true;
    }
    Candidate candidate;
    candidate.kind = AnomalyKind::Atomicity;
    candidate.pattern = pattern->name;
    candidate.unit = unit;
    candidates_.add(key, candidate, {Goal::Shape::InOrder, {i, k, j}, {{0, 1}, {1, 2}}, {}});
    return true;
  }

  std::uint64_t kinds(NodeId i, NodeId k, NodeId j) const {
    const auto kind = [&](NodeId id) { return static_cast<std::uint64_t>(model_.node(id).kind); };
    return kind(i) << 16 | kind(k) << 8 | kind(j);
  }

  // What a node does, as two bits.
  static unsigned does(NodeKind kind) { return (reads(kind) ? 1u : 0u) | (writes(kind) ? 2u : 0u); }

  const AnomalyPattern* find_pattern(NodeId i, NodeId k, NodeId j) const {
    return by_accesses_[does(model_.node(i).kind) << 4 | does(model_.node(k).kind) << 2 | does(model_.node(j).kind)];
  }

  const Model& model_;
  const Contention& contention_;
  CandidateSet& candidates_;
  std::array<const AnomalyPattern*, 64> by_accesses_{};  // by what i, k and j do, two bits each; the first that fits
  std::vector<Last> last_;                               // by location
  std::uint32_t unit_number_ = 0;
  FlatCounters seen_;
};

}  // namespace

void find_triples(const Model& model, std::span<const AnomalyPattern> patterns, unsigned unit_kinds,
                  const Contention& contention, CandidateSet& candidates) {
  TripleSearch(model, patterns, contention, candidates).run(unit_kinds);
}

}  // namespace heddle::predict
