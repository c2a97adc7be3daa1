#include "shrink/budget.h"

#include <algorithm>

namespace heddle::shrink {

using H = Heuristics;

void Budget::spend(std::uint64_t steps, std::uint64_t skipped, std::uint64_t tenths) {
  steps_ += steps;
  effort_ += (H::kStepsToStart + steps + H::kStepsToSkip * skipped) * tenths / H::kPlainTenths;
}

void Budget::note_failing(std::uint64_t events) {
  shortest_ = std::min(shortest_, events);
  if (!effort_until_small_ && H::kSmall * shortest_ <= original_events_) effort_until_small_ = effort_;
}

std::uint64_t Budget::affordable(std::uint64_t events) const {
  const std::uint64_t eighths = H::kLongShare * events > original_events_ ? H::kEighthsInLongRuns : H::kEighths;
  const std::uint64_t all =
      (original_events_ <= H::kShortRun ? H::kStepsForShortRun : eighths * original_events_ / 8) + unavoidable_;
  const std::uint64_t left = all - std::min(all, is_long() ? steps_ + rounds_ * H::kStepsToStart : steps_);
  if (!is_long() || !effort_until_small_) return left;
  const std::uint64_t effort_max =
      std::max(H::kReplays * original_events_, *effort_until_small_ + H::kShortRuns * H::kStepsToStart);
  return std::min(left, effort_max - std::min(effort_max, effort_));
}

}  // namespace heddle::shrink
