#pragma once
#include <cstdint>
#include <span>
#include <vector>

#include "predict/model/model.h"

namespace heddle::predict {

// Where the partial order leaves anything open. A location is contended when two accesses to it, of different threads
// and one of them a write, are not ordered: without that there is no anomaly at it. Most that is shared is made before
// it is handed over, and not contended.
class Contention {
 public:
  // `everything`: counts all locations as contended; for patterns that need no conflict.
  explicit Contention(const Model& model, bool everything = false);

  bool has(LocationId location) const { return contended_[location]; }
  // Positions of accesses to such locations in `thread`, from `first` to `last`, in order.
  std::span<const std::uint32_t> positions(ThreadIndex thread, std::uint32_t first, std::uint32_t last) const;

 private:
  std::vector<bool> contended_;                        // by location
  std::vector<std::vector<std::uint32_t>> positions_;  // by thread
};

}  // namespace heddle::predict
