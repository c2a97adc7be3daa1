#pragma once
#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "predict/contention.h"
#include "predict/model.h"
#include "predict/pattern.h"

namespace heddle::predict {

// What a unit does to one location: the first and the last of its reads and of its writes there.
struct UnitAccesses {
  LocationId location;
  std::array<NodeId, 2> first{kNoNode, kNoNode};  // by Access
  std::array<NodeId, 2> last{kNoNode, kNoNode};

  bool writes() const { return first[static_cast<unsigned>(Access::Write)] != kNoNode; }
  // One node, or none.
  std::span<const NodeId> first_of(Access access) const { return some(first[static_cast<unsigned>(access)]); }
  std::span<const NodeId> last_of(Access access) const { return some(last[static_cast<unsigned>(access)]); }

 private:
  static std::span<const NodeId> some(const NodeId& id) { return {&id, id == kNoNode ? 0u : 1u}; }
};

// Units of one thread and kind that touch the same locations at the same sites in the same order, and some of them.
struct UnitClass {
  UnitKind kind;
  ThreadIndex thread;
  std::uint64_t sites;  // hash of the sites in their order: equal for units that do the same to other locations
  // Each by ascending location; the same locations in all.
  std::vector<std::vector<UnitAccesses>> instances;
};

// Units in which there is contention, as classes, so that a loop that does the same a million times is one thing to compare with others. Only
// locations that more than one class has are kept, and of units with very many locations the first ones.
class UnitClasses {
 public:
  UnitClasses(const Model& model, unsigned unit_kinds, const Contention& contention);

  const std::vector<UnitClass>& all() const { return classes_; }
  // Classes that touch a location.
  std::span<const std::uint32_t> at(LocationId location) const { return by_location_[location]; }

 private:
  std::vector<UnitClass> classes_;
  std::vector<std::vector<std::uint32_t>> by_location_;
};

// What `unit` does to a location; nullptr: nothing.
const UnitAccesses* find_accesses(const std::vector<UnitAccesses>& unit, LocationId location);

}  // namespace heddle::predict
