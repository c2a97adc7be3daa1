#include "explore/bounds.h"

#include <algorithm>
#include <cmath>

namespace heddle::explore {

double pct_bound(const PctRuns& made) {
  const auto n = static_cast<double>(std::max<std::uint64_t>(made.threads, 1));
  const auto k = static_cast<double>(std::max<std::uint64_t>(made.steps, 1));
  const double once = 1 / (n * std::pow(k, std::max(made.depth, 1u) - 1));
  if (once >= 1) return made.runs > 0 ? 1 : 0;
  // 1 - (1 - once)^runs, computed without cancellation for a small `once`.
  return -std::expm1(static_cast<double>(made.runs) * std::log1p(-once));
}

}  // namespace heddle::explore
