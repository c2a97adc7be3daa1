#include <algorithm>
#include <map>
#include <unordered_map>

#include "predict/heuristics.h"
#include "predict/search/flat_counters.h"
#include "predict/search/searches.h"

namespace heddle::predict {
namespace {

constexpr std::uint64_t kAtomicSetKey = 3;

constexpr Access kAccesses[] = {Access::Read, Access::Write};
constexpr std::pair<Access, Access> kConflicts[] = {
    {Access::Read, Access::Write}, {Access::Write, Access::Read}, {Access::Write, Access::Write}};

// Compares classes of units that have at least two locations in common and looks for pairs of conflicts, on two of
// these locations, that are in each other's reach. Two conflicts on one location are triples. A loop over an array
// makes many pairs of units, and many pairs of locations in one pair of units, with the same lines: kRepeatsMax and
// kSameLinesMax limit both.
class AtomicSetSearch {
 public:
  AtomicSetSearch(const Model& model, const UnitClasses& units, CandidateSet& candidates)
      : model_(model), units_(units), candidates_(candidates) {}

  void run() {
    std::unordered_map<std::uint32_t, std::vector<LocationId>> common;
    FlatCounters repeats;
    for (std::uint32_t u = 0; u < units_.all().size(); ++u) {
      const UnitClass& one = units_.all()[u];
      if (repeats.add(CandidateKey{one.sites, static_cast<std::uint64_t>(one.kind), one.thread}.value()) > kRepeatsMax)
        continue;
      common.clear();
      for (const UnitAccesses& own : one.instances.front().locations) {
        for (const std::uint32_t v : units_.at(own.location)) {
          const UnitClass& other = units_.all()[v];
          if (other.thread == one.thread || other.kind != one.kind) continue;
          if (own.writes() || other.instances.front().find(own.location)->writes()) common[v].push_back(own.location);
        }
      }
      for (const auto& [v, locations] : std::map(common.begin(), common.end())) {
        const UnitClass& other = units_.all()[v];
        if (locations.size() < 2) continue;
        const CandidateKey sites{one.sites, other.sites, static_cast<std::uint64_t>(one.kind)};
        if (repeats.add(sites.value()) <= kRepeatsMax) compare(one, other, locations);
      }
    }
  }

 private:
  // The locations with different lines: all pairs of elements of one array give the same finding.
  std::vector<LocationId> with_different_lines(const UnitInstance& u, const UnitInstance& v,
                                               const std::vector<LocationId>& shared) const {
    std::vector<LocationId> chosen;
    FlatCounters same_lines;
    for (const LocationId location : shared) {
      CandidateKey lines{};
      for (const UnitInstance* unit : {&u, &v})
        for (const Access access : kAccesses) {
          for (const LineAccesses& line : unit->of(*unit->find(location), access)) lines.add(line.line + 1);
          lines.add(0);
        }
      if (same_lines.add(lines.value()) <= kSameLinesMax) chosen.push_back(location);
      if (chosen.size() == kSharedLocationsMax) break;
    }
    return chosen;
  }

  void compare(const UnitClass& u, const UnitClass& v, const std::vector<LocationId>& shared) {
    const std::vector<LocationId> locations = with_different_lines(u.instances.front(), v.instances.front(), shared);
    // The instances are the first and the latest units of each class.
    for (const UnitInstance& own : u.instances) {
      for (const UnitInstance& other : v.instances) {
        for (const LocationId one : locations) {
          for (const LocationId another : locations) {
            if (one != another) compare_locations(u.kind, own, other, one, another);
          }
        }
      }
    }
  }

  // Edges a1 -> b1 and b2 -> a2, where a1 precedes a2 in u. (If a2 came first, v would have to begin: the same with the
  // roles of the units exchanged.)
  void compare_locations(UnitKind kind, const UnitInstance& u, const UnitInstance& v, LocationId one,
                         LocationId another) {
    const UnitAccesses &u1 = *u.find(one), &u2 = *u.find(another), &v1 = *v.find(one), &v2 = *v.find(another);
    for (const auto& [x1, y1] : kConflicts) {
      for (const auto& [x2, y2] : kConflicts) {
        for (const LineAccesses& a1 : u.of(u1, x1)) {
          for (const LineAccesses& a2 : u.of(u2, x2)) {
            for (const LineAccesses& b1 : v.of(v1, y1)) {
              for (const LineAccesses& b2 : v.of(v2, y2))
                consider(kind, a1.first, b1.last, b2.first, a2.last, {x1, y1, y2, x2});
            }
          }
        }
      }
    }
  }

  void consider(UnitKind kind, NodeId a1, NodeId b1, NodeId b2, NodeId a2, const std::array<Access, 4>& accesses) {
    if (a1 >= a2) return;
    const bool crossed = b2 < b1;  // in v
    CandidateKey key{kAtomicSetKey,   model_.line(a1), model_.line(b1),
                     model_.line(b2), model_.line(a2), crossed ? 1u : 0u};
    for (const Access access : accesses) key.add(static_cast<std::uint64_t>(access));
    // Both edges hold in every execution, of a thread created and joined in between for example.
    if (model_.ordered(a1, b1) && model_.ordered(b2, a2)) return;
    if (!candidates_.wants(key) || model_.ordered(b1, a1) || model_.ordered(a2, b2) ||
        model_.sections_exclude(a1, a2, std::min(b1, b2), std::max(b1, b2)))
      return;
    candidates_.add(key, {.kind = AnomalyKind::MultiVariable, .pattern = kAtomicSetPattern, .unit = kind},
                    {Goal::Shape::InOrder, {a1, b1, b2, a2}, {{0, 1}, {2, 3}}});
  }

  const Model& model_;
  const UnitClasses& units_;
  CandidateSet& candidates_;
};

}  // namespace

void find_atomic_set_violations(const Model& model, const UnitClasses& units, CandidateSet& candidates) {
  AtomicSetSearch(model, units, candidates).run();
}

std::string atomic_set_label(const std::array<UnitEvent, 4>& order) {
  const UnitEvent& first = order[0];
  std::string shape;
  for (const UnitEvent& event : order) {
    shape += event.access == Access::Read ? 'R' : 'W';
    shape += event.second_unit == first.second_unit ? 'u' : 'v';
    shape += event.second_location == first.second_location ? '1' : '2';
  }
  static constexpr std::pair<std::string_view, std::string_view> kLabels[] = {
      {"Wu1Wv1Wv2Wu2", "6"},  {"Wu1Wv2Wu2Wv1", "7"},  {"Wu1Rv1Rv2Wu2", "8"},
      {"Wu1Rv2Wu2Rv1", "9"},  {"Ru1Wv1Wv2Ru2", "10"}, {"Ru1Wv2Ru2Wv1", "11"},
      {"Wu1Wv2Wv1Wu2", "12"}, {"Wu1Rv2Rv1Wu2", "13"}, {"Ru1Wv2Wv1Ru2", "14"},
  };
  for (const auto& [known, label] : kLabels) {
    if (shape == known) return std::string(label);
  }
  return "other";
}

}  // namespace heddle::predict
