#pragma once
#include <cstdint>
#include <optional>

#include "shrink/phases/phases.h"

namespace heddle::shrink {

struct ScheduleSearch {
  std::optional<FailingRun> found;
  bool complete = false;  // all schedules were tried
};

// Enumerates the schedules without the omitted threads and iterations, those with the fewest preemptions first, within
// `steps_max` steps and the budget. Finds the first run that fails in the wanted way and for which `holds` is true.
// REQUIRES: reduction.trials.can_serve()
ScheduleSearch search_schedules(Reduction& reduction, const clip::Omitted& omitted, std::uint64_t preemptions_max,
                                const FailureTrials::Holds& holds, std::uint64_t steps_max);

}  // namespace heddle::shrink
