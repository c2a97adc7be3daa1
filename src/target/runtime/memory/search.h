#pragma once
#include <cstdint>

namespace heddle::runtime {

// The first index below `count` for which `is_before(index)` does not hold; `count`: it holds for all. REQUIRES: it
// holds for none that follows one for which it does not.
template <typename IsBefore>
std::uint64_t search(std::uint64_t count, IsBefore is_before) {
  std::uint64_t low = 0;
  while (low < count) {
    const std::uint64_t middle = (low + count) / 2;
    if (is_before(middle))
      low = middle + 1;
    else
      count = middle;
  }
  return low;
}

}  // namespace heddle::runtime
