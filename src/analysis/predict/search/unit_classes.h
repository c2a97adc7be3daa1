#pragma once
#include <cstdint>
#include <span>
#include <vector>

#include "predict/model/contention.h"
#include "predict/model/model.h"
#include "predict/search/pattern.h"

namespace heddle::predict {

// One line's reads, or its writes, of a location in a unit.
struct LineAccesses {
  std::uint32_t line;
  NodeId first, last;
};

// What a unit does to one location. The lines are kept apart: which of a unit's reads came before another thread's
// write is another finding for each of them.
struct UnitAccesses {
  LocationId location;
  std::uint32_t reads_begin, writes_begin, end;  // in UnitInstance::lines

  bool writes() const { return writes_begin != end; }
};

struct UnitInstance {
  std::vector<UnitAccesses> locations;  // ascending
  std::vector<LineAccesses> lines;

  // What it does to a location; nullptr: nothing.
  const UnitAccesses* find(LocationId location) const;
  std::span<const LineAccesses> of(const UnitAccesses& accesses, Access access) const {
    return access == Access::Read ? slice(accesses.reads_begin, accesses.writes_begin)
                                  : slice(accesses.writes_begin, accesses.end);
  }

 private:
  std::span<const LineAccesses> slice(std::uint32_t begin, std::uint32_t end) const {
    return std::span(lines).subspan(begin, end - begin);
  }
};

// Units of one thread and kind that touch the same locations at the same sites in the same order, and some of them.
struct UnitClass {
  UnitKind kind;
  ThreadIndex thread;
  std::uint64_t sites;  // hash of the sites in their order: equal for units that do the same to other locations
  std::vector<UnitInstance> instances;  // with the same locations
};

// Units in which there is contention, as classes, so that a loop that does the same a million times is one thing to
// compare with others. Only locations that more than one class has are kept, and of units with very many locations the
// first ones.
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

}  // namespace heddle::predict
