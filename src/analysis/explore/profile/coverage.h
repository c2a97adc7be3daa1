#pragma once
#include <chrono>
#include <cstdint>
#include <deque>
#include <mutex>
#include <span>

#include "explore/systematic/state_set.h"

namespace heddle::explore {

// Coverage of the runs of all workers: classes of equivalent orders, and ordered pairs of sites that met.
class Coverage {
 public:
  using Clock = std::chrono::steady_clock;

  void add_schedule(std::uint64_t state);
  // Adds the pairs of one worker so far; 0 entries are free slots.
  void add_pairs(std::span<const std::uint64_t> table);

  struct Counts {
    std::uint64_t distinct_schedules = 0, pairs = 0;
  };
  Counts counts() const;
  // In the last tenth of the time since `begin`.
  double new_pairs_per_minute(Clock::time_point begin) const;

 private:
  struct Growth {
    Clock::time_point time;
    std::uint64_t pairs;
  };
  mutable std::mutex mutex_;
  StateSet schedules_;
  StateSet pairs_;
  std::deque<Growth> growth_;
};

}  // namespace heddle::explore
