#include "explore/bounds.h"

#include <algorithm>
#include <cmath>

namespace heddle::explore {

double pct_guarantee(std::uint32_t depth, std::uint64_t threads, std::uint64_t steps, std::uint64_t runs) {
  const auto n = static_cast<double>(std::max<std::uint64_t>(threads, 1));
  const auto k = static_cast<double>(std::max<std::uint64_t>(steps, 1));
  const double once = 1 / (n * std::pow(k, std::max(depth, 1u) - 1));
  if (once >= 1) return runs > 0 ? 1 : 0;
  // 1 - (1 - once)^runs, without losing the digits of a small `once`.
  return -std::expm1(static_cast<double>(runs) * std::log1p(-once));
}

}  // namespace heddle::explore
