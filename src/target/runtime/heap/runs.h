#pragma once
#include <array>
#include <cstdint>

#include "runtime/heap/layout.h"
#include "runtime/heap/region.h"

namespace heddle::runtime::heap {

// Lists of runs or slabs, through Unit::next and Unit::previous.
inline void push_unit(std::uint32_t& list, std::uint32_t unit) {
  unit_at(unit).next = list;
  unit_at(unit).previous = kNoUnit;
  if (list != kNoUnit) unit_at(list).previous = unit;
  list = unit;
}
inline void remove_unit(std::uint32_t& list, std::uint32_t unit) {
  const Unit& removed = unit_at(unit);
  if (removed.next != kNoUnit) unit_at(removed.next).previous = removed.previous;
  (removed.previous == kNoUnit ? list : unit_at(removed.previous).next) = removed.next;
}

// Allocates runs of consecutive units and merges released neighbours. Free runs are in lists by the logarithm of their
// length. Allocated units read as zero.
class Runs {
 public:
  constexpr Runs() { heads_.fill(kNoUnit); }

  bool initialise() { return region_.reserve(); }

  // Returns kNoUnit if there is no free run. REQUIRES: `units` > 0, `alignment` is a power of two, in units.
  std::uint32_t take(std::size_t units, std::size_t alignment = 1);

  // Extends a run by the `more` units behind it. Returns false if they are not free.
  bool extend(std::uint32_t first, std::size_t units, std::size_t more);

  // REQUIRES: the units were discarded, or never written.
  void give(std::uint32_t first, std::size_t units);

 private:
  static constexpr std::size_t kBins = 25;  // runs of up to 2^24 units

  std::uint32_t find_free(std::size_t units) const;
  // Starts with the last run if it is free. REQUIRES: the last run is shorter than `units`.
  std::uint32_t take_from_top(std::size_t units);
  void link(std::uint32_t first, std::size_t units);
  void unlink(std::uint32_t first);
  // Removes the front of a free run; the rest becomes a free run.
  void split(std::uint32_t first, std::size_t units);

  Region region_;
  std::uint32_t top_ = 0;  // units from here on were never allocated
  std::uint32_t nonempty_ = 0;
  std::array<std::uint32_t, kBins> heads_{};
};

}  // namespace heddle::runtime::heap
