#pragma once
// An order of a run's events, as it can be asked for: which thread goes on until it has made how many points.
#include <cstdint>
#include <string>
#include <vector>

#include "base/ids.h"
#include "format/run_inputs.h"
#include "run/record/schedule_collector.h"

namespace heddle::experiment {

// The thread goes on until it has done `until` points since its beginning, and stops before the next one; or it `sleeps`
// in the last of them, and does not come to the next one.
struct Leg {
  ThreadId thread = kMainThread;
  std::uint64_t until = 0;
  bool sleeps = false;
  std::uint32_t blocks = 1;  // sleeps: how often it has been put to sleep since that point, this time included
  bool operator==(const Leg&) const = default;
};
using Order = std::vector<Leg>;

// As far as the thread goes alone.
inline constexpr std::uint64_t kAsFarAsItGoes = std::uint64_t{1} << 30;

// Legs of one thread that follow each other are one; a leg that leads nowhere is none.
void append(Order& order, Leg leg);

// In the terms of the scheduler (schedule/replay/turns_strategy.h), whose threads stop when they have arrived at their next
// point.
std::vector<format::ReplayRun> turns_of(const Order& order);

// Whether the first `legs` were made one after the other. `base_step`: points of main that `made` does not tell of.
bool was_followed(const Order& order, std::size_t legs, const run::Decisions& made,
                  const std::vector<std::string>& names, std::uint64_t base_step);

}  // namespace heddle::experiment
