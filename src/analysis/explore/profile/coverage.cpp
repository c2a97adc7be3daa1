#include "explore/profile/coverage.h"

namespace heddle::explore {

void Coverage::add_schedule(std::uint64_t state) {
  const std::lock_guard lock(mutex_);
  schedules_.insert(state);
}

void Coverage::add_pairs(std::span<const std::uint64_t> table) {
  const std::lock_guard lock(mutex_);
  const std::uint64_t before = pairs_.size();
  for (const std::uint64_t pair : table)
    if (pair != 0) pairs_.insert(pair);
  if (pairs_.size() != before) growth_.push_back({Clock::now(), pairs_.size()});
}

Coverage::Counts Coverage::counts() const {
  const std::lock_guard lock(mutex_);
  return {schedules_.size(), pairs_.size()};
}

double Coverage::new_pairs_per_minute(Clock::time_point begin) const {
  const std::lock_guard lock(mutex_);
  const Clock::time_point now = Clock::now();
  const Clock::duration window = (now - begin) / 10;
  if (window.count() == 0) return 0;
  std::uint64_t before = 0;
  for (const Growth& growth : growth_)
    if (growth.time < now - window) before = growth.pairs;
  const double minutes = std::chrono::duration<double, std::ratio<60>>(window).count();
  return static_cast<double>(pairs_.size() - before) / minutes;
}

}  // namespace heddle::explore
