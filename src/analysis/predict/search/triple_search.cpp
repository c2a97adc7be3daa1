#include <algorithm>
#include <array>

#include "predict/heuristics.h"
#include "predict/search/flat_counters.h"
#include "predict/search/searches.h"

namespace heddle::predict {
namespace {

constexpr std::uint64_t kTripleKey = 2;

// Linear in the accesses of the units. Within a unit, an access is paired with the one before it on its location and
// with the latest before it of the other kind. Of the pairs with equal sites and location only the first, second,
// fourth, ... are examined, each only with its neighbours on that location.
class TripleSearch {
 public:
  TripleSearch(const Model& model, std::span<const AnomalyPattern> patterns, const Contention& contention,
               CandidateSet& candidates)
      : model_(model), contention_(contention), candidates_(candidates), last_(model.locations.size()) {
    const auto bit = [](const PatternEvent& event) { return event.access == Access::Read ? 1u : 2u; };
    for (const AnomalyPattern& pattern : patterns) {
      if (!pattern.is_triple()) continue;
      const unsigned wanted = bit(pattern.events[0]) << 4 | bit(pattern.events[1]) << 2 | bit(pattern.events[2]);
      for (unsigned done = 0; done < by_accesses_.size(); ++done) {
        if ((done & wanted) == wanted && by_accesses_[done] == nullptr) by_accesses_[done] = &pattern;
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
    std::uint32_t unit = 0;  // that `read` and `write` belong to
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
    std::size_t count = 0;
    for (auto k = before; k != after && count < kNeighbours; ++k) count += consider(i, *k, j, unit);
    count = 0;
    for (auto k = after; k != accesses.end() && count < kNeighbours; ++k) count += consider(i, *k, j, unit);
    count = 0;
    for (auto k = before; k != accesses.begin() && count < kNeighbours;) count += consider(i, *--k, j, unit);
  }

  // False if `k` belongs to the same thread as the unit.
  bool consider(NodeId i, NodeId k, NodeId j, UnitKind unit) {
    const Node& other = model_.node(k);
    if (other.thread == model_.node(i).thread) return false;
    const AnomalyPattern* pattern = find_pattern(i, k, j);
    if (pattern == nullptr) return true;
    CandidateKey key{kTripleKey, model_.line(i), model_.line(k), model_.line(j)};
    for (const NodeId id : {i, k, j}) key.add(static_cast<std::uint64_t>(model_.node(id).kind));
    // An access that comes in between in every execution, of a thread created and joined there, breaks nothing.
    if (model_.ordered(i, k) && model_.ordered(k, j)) return true;
    if (!candidates_.wants(key) || model_.ordered(k, i) || model_.ordered(j, k) ||
        model_.sections_exclude(i, j, k, k)) {
      return true;
    }
    candidates_.add(key, {.kind = AnomalyKind::Atomicity, .pattern = pattern->name, .unit = unit},
                    {Goal::Shape::InOrder, {i, k, j}, {{0, 1}, {1, 2}}});
    return true;
  }

  // The accesses of a node, as two bits.
  static unsigned does(NodeKind kind) { return (reads(kind) ? 1u : 0u) | (writes(kind) ? 2u : 0u); }

  const AnomalyPattern* find_pattern(NodeId i, NodeId k, NodeId j) const {
    return by_accesses_[does(model_.node(i).kind) << 4 | does(model_.node(k).kind) << 2 | does(model_.node(j).kind)];
  }

  const Model& model_;
  const Contention& contention_;
  CandidateSet& candidates_;
  std::array<const AnomalyPattern*, 64> by_accesses_{};  // by does() of i, k and j; the first that fits
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
