#pragma once
#include <chrono>
#include <cstdint>
#include <deque>
#include <mutex>
#include <span>

#include "explore/systematic/state_set.h"

namespace heddle::explore {

// What the runs of all workers have shown: classes of equivalent orders, and ordered pairs of sites that met.
class Coverage {
 public:
  using Clock = std::chrono::steady_clock;

  void add_schedule(std::uint64_t state);
  // The whole table of a worker's runtime. Cheap when nothing is new: `count` says how many it holds.
  void add_pairs(std::span<const std::uint64_t> table);

  std::uint64_t distinct_schedules() const;
  std::uint64_t pairs() const;
  // Over the last tenth of the time since `begin`.
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
