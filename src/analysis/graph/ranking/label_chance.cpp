#include "graph/ranking/label_chance.h"

#include <algorithm>
#include <cmath>
#include <functional>

#include "graph/heuristics.h"

namespace heddle::graph {
namespace {

// Tolerance for sums of the same terms, which may differ in their last digits.
constexpr double kSame = 1 + 1e-9;

}  // namespace

LabelChance::LabelChance(std::uint64_t failing_runs, std::uint64_t runs)
    : scale_(runs > kChanceRunsMax ? static_cast<double>(kChanceRunsMax) / static_cast<double>(runs) : 1),
      failing_runs_(scaled(failing_runs)),
      runs_(scaled(runs)),
      log_factorials_(runs_ + 1),
      tails_(runs_ + 1) {
  for (std::uint32_t i = 1; i <= runs_; ++i) log_factorials_[i] = log_factorials_[i - 1] + std::log(i);
}

std::uint32_t LabelChance::scaled(std::uint64_t runs) const {
  return static_cast<std::uint32_t>(std::lround(static_cast<double>(runs) * scale_));
}

const std::vector<double>& LabelChance::tails_of(std::uint32_t present) {
  std::vector<double>& tails = tails_[present];
  if (!tails.empty()) return tails;
  const auto log_choices = [&](std::uint32_t of, std::uint32_t some) {
    return log_factorials_[of] - log_factorials_[some] - log_factorials_[of - some];
  };
  const std::uint32_t passing_runs = runs_ - failing_runs_;
  const std::uint32_t least = present > passing_runs ? present - passing_runs : 0,
                      most = std::min(present, failing_runs_);
  tails.assign(failing_runs_ + 2, 0);
  for (std::uint32_t failing = most + 1; failing-- > 0;) {
    const bool possible = failing >= least;
    tails[failing] = tails[failing + 1] +
                     (possible ? std::exp(log_choices(failing_runs_, failing) +
                                          log_choices(passing_runs, present - failing) - log_choices(runs_, present))
                               : 0);
  }
  return tails;
}

double LabelChance::of(std::uint64_t failing, std::uint64_t present) {
  const std::uint32_t some = scaled(present);
  return tails_of(some)[std::min({scaled(failing), failing_runs_, some})];
}

double LabelChance::as_conclusive(std::uint64_t present, double chance) {
  const std::vector<double>& tails = tails_of(scaled(present));
  return *std::lower_bound(tails.begin(), tails.end() - 1, chance * kSame, std::greater<>());
}

}  // namespace heddle::graph
