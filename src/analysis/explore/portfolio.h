#pragma once
// Which strategy each schedule of an exploration uses. No strategy is best for all bugs: a mix loses little against the
// best one for a program, whichever that is.
#include <cstdint>
#include <optional>
#include <vector>

#include "format/run_config.h"

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

// What of SessionConfig and its inputs depends on the schedule. Fields that the strategy does not use are zero.
struct PlannedSchedule {
  format::StrategyKind strategy = format::StrategyKind::Random;
  std::uint64_t seed = 0;
  std::uint64_t quantum = 0;
  std::uint32_t depth = 0;
  std::uint64_t length = 0;
  std::vector<std::uint32_t> interesting;  // sorted
  std::vector<std::uint64_t> counts;       // by index of descent
};

// Depends on its arguments alone: who runs the schedule, and when, makes no difference.
// `only`: this strategy instead of a mix. REQUIRES: it is one of Random, Pct, Pos, Surw.
PlannedSchedule plan_schedule(std::uint64_t seed, std::uint64_t index, const Profile& profile,
                              std::optional<format::StrategyKind> only = std::nullopt);

}  // namespace heddle::explore
