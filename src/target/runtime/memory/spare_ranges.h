#pragma once
#include <cstddef>
#include <cstdint>

#include "runtime/memory/arena.h"

namespace heddle::runtime {

// Released address ranges, which are reused for the same size, the last released first. The addresses of later
// allocations therefore depend only on the sequence of calls.
class SpareRanges {
 public:
  // 0: none has this size.
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
