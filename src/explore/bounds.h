#pragma once
#include <cmath>
#include <cstdint>
namespace heddle::explore {
inline double pct_guarantee(std::uint32_t d, std::uint64_t n, std::uint64_t k, std::uint64_t r) {
  return 1 - std::pow(1 - 1 / (double(n) * std::pow(double(k), d - 1)), double(r));
}
}
