#pragma once
// An order of a run's events, as it can be asked for: which thread goes on until it has made how many points.
#include <cstdint>
#include <vector>

#include "base/ids.h"
#include "format/session.h"

namespace heddle::explain {

// The thread goes on until it has done `until` points since its beginning, and stops before the next one; or it `sleeps`
// in the last of them, and does not come to the next one.
struct Leg {
  ThreadId thread = kMainThread;
  std::uint64_t until = 0;
  bool sleeps = false;
  bool operator==(const Leg&) const = default;
};
using Order = std::vector<Leg>;

// As far as the thread goes alone.
inline constexpr std::uint64_t kAsFarAsItGoes = std::uint64_t{1} << 31;

// Legs of one thread that follow each other are one; a leg that leads nowhere is none.
void append(Order& order, Leg leg);

// In the terms of the scheduler, whose threads stop when they have arrived at their next point.
struct PlannedRuns {
  std::vector<format::ReplayRun> runs;
  std::vector<std::size_t> runs_until;  // by leg: how many runs are made when it is done
};
// `base_step`: points that main has made before main().
PlannedRuns plan(const Order& order, std::uint64_t base_step);

}  // namespace heddle::explain
