#pragma once
#include <cstdint>
#include <span>
#include <vector>

#include "predict/model/model.h"

namespace heddle::predict {

// The locations at which the partial order leaves a choice. A location is contended if two accesses of different
// threads to it, one of them a write, are not ordered; without that it has no anomaly. Most shared memory is written
// before it is handed over, and is not contended.
class Contention {
 public:
  // `everything`: all locations count as contended; for patterns that need no conflict.
  explicit Contention(const Model& model, bool everything = false);

  bool has(LocationId location) const { return contended_[location]; }
  // Positions of accesses to contended locations in `thread`, from `first` to `last`, ascending.
  std::span<const std::uint32_t> positions(ThreadIndex thread, std::uint32_t first, std::uint32_t last) const;

 private:
  std::vector<bool> contended_;                        // by location
  std::vector<std::vector<std::uint32_t>> positions_;  // by thread
};

}  // namespace heddle::predict
