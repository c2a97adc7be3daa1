#pragma once
// Chooses the strategy of each schedule. No strategy is best for all bugs; a mix is never much worse than the best one.
#include <cstdint>
#include <optional>
#include <vector>

#include "format/run_inputs.h"

namespace heddle::explore {

// Facts about a program from its first run. The defaults hold before that run, as for a small program.
struct Profile {
  // Accesses of a thread at a site with shared memory.
  struct Count {
    std::uint32_t thread;  // index of its descent
    std::uint32_t site;    // SiteId
    std::uint64_t events;
  };

  std::uint64_t length = 1000;  // steps of a run
  std::vector<Count> counts;
  // Groups of sites that access the same object; a site may be in several. Empty: unknown.
  std::vector<std::vector<std::uint32_t>> groups;
};

// The settings of a run that depend on its schedule. Fields that the strategy does not use are zero.
struct PlannedSchedule : format::RepeatPlan {
  std::vector<std::uint32_t> interesting;  // sorted
  std::vector<std::uint64_t> counts;       // by index of descent
};

// A pure function of its arguments, so that all workers plan the same schedule for an index. `only`: use this strategy
// instead of a mix. REQUIRES: `only` is Random, Pct, Pos or Surw.
PlannedSchedule plan_schedule(std::uint64_t seed, std::uint64_t index, const Profile& profile,
                              std::optional<format::StrategyKind> only = std::nullopt);

}  // namespace heddle::explore
