#pragma once
// Which strategy each schedule of an exploration uses. No strategy is best for all bugs: a mix loses little against the
// best one for a program, whichever that is.
#include <cstdint>
#include <vector>

#include "explore/armed_sets.h"
#include "explore/explore_options.h"
#include "format/session.h"

namespace heddle::explore {

// What is known of a program from its first runs.
struct Profile {
  // How often a thread was at a site that touches shared memory.
  struct Count {
    std::uint32_t thread;  // index of its descent
    std::uint32_t site;    // SiteId
    std::uint64_t events;
  };

  // Before anything is known: as for a small program.
  std::uint64_t length = 1000;  // steps of a run
  std::uint32_t threads = 2;
  std::vector<Count> counts;
  // Sites that touch the same object; a site may be in several. Empty: it is not known which do.
  std::vector<std::vector<std::uint32_t>> groups;
};

Profile profile_of(const ArmedSet& armed);

// What of SessionConfig and its inputs depends on the schedule. Fields that the strategy does not use are zero.
struct SchedulePlan {
  format::StrategyKind strategy = format::StrategyKind::Random;
  std::uint64_t seed = 0;
  std::uint64_t quantum = 0;
  std::uint32_t depth = 0;
  std::uint64_t length = 0;
  std::vector<std::uint32_t> interesting;  // sorted
  std::vector<std::uint64_t> counts;       // by index of descent
};

// Depends on its arguments alone: who runs the schedule, and when, makes no difference.
// REQUIRES: the method is not a systematic one.
SchedulePlan plan_schedule(Method method, std::uint64_t seed, std::uint64_t index, const Profile& profile);

}  // namespace heddle::explore
