#pragma once
#include <cstdint>
#include <span>
#include <vector>

#include "predict/model/contention.h"
#include "predict/model/model.h"
#include "predict/search/pattern.h"

namespace heddle::predict {

// The reads or the writes of a location by one line in a unit.
struct LineAccesses {
  std::uint32_t line;
  NodeId first, last;
};

// The accesses of a unit to one location, by line: each read that precedes a write of another thread is a separate
// finding.
struct UnitAccesses {
  LocationId location;
  std::uint32_t reads_begin, writes_begin, end;  // in UnitInstance::lines

  bool writes() const { return writes_begin != end; }
};

struct UnitInstance {
  std::vector<UnitAccesses> locations;  // ascending
  std::vector<LineAccesses> lines;

  // nullptr if it does not touch the location.
  const UnitAccesses* find(LocationId location) const;
  std::span<const LineAccesses> of(const UnitAccesses& accesses, Access access) const {
    const bool reads = access == Access::Read;
    const std::uint32_t begin = reads ? accesses.reads_begin : accesses.writes_begin;
    return std::span(lines).subspan(begin, (reads ? accesses.writes_begin : accesses.end) - begin);
  }
};

// Units of one thread and kind that touch the same locations at the same sites in the same order.
struct UnitClass {
  UnitKind kind;
  ThreadIndex thread;
  std::uint64_t sites;  // hash of the sites in order: equal for units that touch other locations in the same way
  std::vector<UnitInstance> instances;  // some of the units: the first ones and the latest
};

// The units that touch contended locations, as classes: a loop that makes a million equal units is one class to compare
// with others. Of a unit with more than kUnitLocationsMax locations only the first ones are kept.
class UnitClasses {
 public:
  UnitClasses(const Model& model, unsigned unit_kinds, const Contention& contention);

  const std::vector<UnitClass>& all() const { return classes_; }
  // Classes that touch a location, a few per thread and kind.
  std::span<const std::uint32_t> at(LocationId location) const { return by_location_[location]; }

 private:
  std::vector<UnitClass> classes_;
  std::vector<std::vector<std::uint32_t>> by_location_;
};

}  // namespace heddle::predict
