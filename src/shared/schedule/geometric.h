#pragma once
#include <array>
#include <cstddef>
#include <cstdint>

#include "base/random.h"

namespace heddle::schedule {

// The number of trials up to and including the first success, where each trial succeeds with probability 1/mean.
//
// The binary digits of a geometric variable are independent: digit i of the number of failures is 1 with probability
// f/(1+f), where f = (1 - 1/mean)^(2^i). A draw therefore takes one random number for each digit with f > 2^-60. It
// needs no logarithm, whose last bits differ between C libraries.
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
