#pragma once
#include <array>
#include <cstddef>
#include <cstdint>

#include "base/random.h"

namespace heddle::schedule {

// How many trials until the first success, that one included, when each succeeds with probability 1/mean.
//
// The binary digits of a geometric variable are independent of each other: digit i of the number of failures is 1 with
// probability f/(1+f), f = (1 - 1/mean)^(2^i). So a draw takes one random number for each digit that matters, and no
// logarithm, whose last bits differ from one C library to the next.
class Geometric {
 public:
  // REQUIRES: mean > 0.
  explicit constexpr Geometric(std::uint64_t mean) {
    double failures = 1.0 - 1.0 / static_cast<double>(mean);
    for (; digits_ < thresholds_.size() && failures > 0x1p-60; ++digits_, failures *= failures) {
      thresholds_[digits_] = static_cast<std::uint64_t>(failures / (1.0 + failures) * 0x1p64);
    }
  }

  constexpr std::uint64_t draw(Random& random) const {
    std::uint64_t failures = 0;
    for (std::size_t i = 0; i < digits_; ++i) {
      failures |= std::uint64_t{random.next() < thresholds_[i]} << i;
    }
    return failures + 1;
  }

 private:
  std::size_t digits_ = 0;
  std::array<std::uint64_t, 60> thresholds_{};
};

}  // namespace heddle::schedule
