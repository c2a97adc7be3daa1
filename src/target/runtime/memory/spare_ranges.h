#pragma once
#include <cstddef>
#include <cstdint>

#include "runtime/memory/arena.h"

namespace heddle::runtime {

// Ranges of addresses that were given back and are used again for the same size, the last first: the addresses of what
// comes next depend on nothing but the calls so far.
class SpareRanges {
 public:
  // 0: there is none of that size.
  std::uint64_t take(std::uint64_t size) {
    for (std::size_t i = ranges_.size(); i-- > 0;) {
      if (ranges_[i].size != size) continue;
      const std::uint64_t begin = ranges_[i].begin;
      ranges_.erase(i);
      return begin;
    }
    return 0;
  }
  void give(std::uint64_t begin, std::uint64_t size) {
    if (ranges_.size() == kRangesMax) ranges_.erase(0);
    ranges_.push_back({begin, size});
  }

 private:
  static constexpr std::size_t kRangesMax = 4096;
  struct Range {
    std::uint64_t begin;
    std::uint64_t size;
  };

  GrowingArray<Range> ranges_;
};

}  // namespace heddle::runtime
