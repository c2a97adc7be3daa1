#include "predict/unit_classes.h"

#include <algorithm>
#include <unordered_map>

#include "base/hash.h"

namespace heddle::predict {
namespace {

constexpr std::size_t kInstancesMax = 3;
constexpr std::size_t kLocationsMax = 48;     // of one unit
constexpr std::size_t kClassesPerThread = 3;  // of one kind, at one location

bool is_like(const UnitClass& unit_class, const Unit& unit) {
  return unit_class.kind == unit.kind && unit_class.thread == unit.thread;
}

}  // namespace

UnitClasses::UnitClasses(const Model& model, unsigned unit_kinds, const Contention& contention)
    : by_location_(model.locations.size()) {
  std::unordered_map<std::uint64_t, std::uint32_t> known;
  std::vector<UnitAccesses> accesses;
  // Where in `accesses` a location is, if it was put there for this unit.
  struct Place {
    std::uint32_t unit = 0, index = 0;
  };
  std::vector<Place> places(model.locations.size());
  std::uint32_t unit_number = 0;
  for (const Unit& unit : model.units) {
    if ((unit_kinds >> static_cast<unsigned>(unit.kind) & 1) == 0) continue;
    if (contention.positions(unit.thread, unit.first, unit.last).empty()) continue;
    ++unit_number;
    EventHash signature, sites;
    signature.add(static_cast<std::uint64_t>(unit.kind) << 32 | unit.thread);
    accesses.clear();
    std::uint64_t previous = ~std::uint64_t{0};
    for (std::uint32_t position = unit.first; position <= unit.last && accesses.size() < kLocationsMax; ++position) {
      const NodeId id = model.at(unit.thread, position);
      const Node& node = model.node(id);
      if (!is_access(node.kind) || node.kind == NodeKind::Free) continue;
      const std::uint64_t what = static_cast<std::uint64_t>(node.object) << 32 | node.site;
      if (what != previous) {
        signature.add(what);
        sites.add(node.site);
      }
      previous = what;
      Place& place = places[node.object];
      if (place.unit != unit_number) {
        place = {unit_number, static_cast<std::uint32_t>(accesses.size())};
        accesses.push_back({.location = node.object});
      }
      UnitAccesses& here = accesses[place.index];
      for (const Access access : {Access::Read, Access::Write}) {
        if (access == Access::Read ? !reads(node.kind) : !writes(node.kind)) continue;
        const unsigned index = static_cast<unsigned>(access);
        if (here.first[index] == kNoNode) here.first[index] = id;
        here.last[index] = id;
      }
    }
    if (accesses.size() < 2) continue;
    const auto [number, added] = known.try_emplace(signature.value(), static_cast<std::uint32_t>(classes_.size()));
    if (added) {
      classes_.push_back({unit.kind, unit.thread, sites.value(), {}});
      for (const UnitAccesses& own : accesses) {
        // Units are sorted by kind and thread: those of one thread are neighbours.
        std::vector<std::uint32_t>& here = by_location_[own.location];
        const bool full =
            here.size() >= kClassesPerThread && is_like(classes_[here[here.size() - kClassesPerThread]], unit);
        if (!full) here.push_back(number->second);
      }
    }
    UnitClass& unit_class = classes_[number->second];
    std::ranges::sort(accesses, {}, &UnitAccesses::location);
    if (unit_class.instances.size() < kInstancesMax)
      unit_class.instances.push_back(accesses);
    else
      unit_class.instances.back() = accesses;  // the latest
  }
}

const UnitAccesses* find_accesses(const std::vector<UnitAccesses>& unit, LocationId location) {
  const auto place = std::ranges::lower_bound(unit, location, {}, &UnitAccesses::location);
  return place != unit.end() && place->location == location ? &*place : nullptr;
}

}  // namespace heddle::predict
