#pragma once
#include <array>
#include <cstdint>

#include "runtime/heap/layout.h"
#include "runtime/heap/region.h"

namespace heddle::runtime::heap {

// Hands out runs of consecutive units and joins those that come back. Free runs hang in lists by the logarithm of their
// length. Units handed out read as zero.
class Runs {
 public:
  constexpr Runs() { heads_.fill(kNoUnit); }

  bool initialise() { return region_.reserve(); }

  // REQUIRES: `units` > 0, `alignment` is a power of two, in units. kNoUnit when there is no room.
  std::uint32_t take(std::size_t units, std::size_t alignment = 1);

  // Adds the `more` units behind a run to it. False: they are not free.
  bool extend(std::uint32_t first, std::size_t units, std::size_t more);

  // REQUIRES: the units were discarded, or never written.
  void give(std::uint32_t first, std::size_t units);

 private:
  static constexpr std::size_t kBins = 25;  // runs of up to 2^24 units

  std::uint32_t find_free(std::size_t units) const;
  // Begins with the last run when that is free. REQUIRES: it is shorter than `units`.
  std::uint32_t take_from_top(std::size_t units);
  void link(std::uint32_t first, std::size_t units);
  void unlink(std::uint32_t first);
  // Takes the front of a free run, which goes back to its bin without it.
  void split(std::uint32_t first, std::size_t units);

  Region region_;
  std::uint32_t top_ = 0;  // units from here on were never handed out
  std::uint32_t nonempty_ = 0;
  std::array<std::uint32_t, kBins> heads_{};
};

}  // namespace heddle::runtime::heap
