#pragma once
#include <cstdint>

namespace heddle {

// Binary search: the first index below `count` for which `is_before(index)` is false; `count` if there is none.
// REQUIRES: no index for which it is true follows one for which it is false.
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

}  // namespace heddle
