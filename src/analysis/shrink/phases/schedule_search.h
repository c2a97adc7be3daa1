#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "explore/systematic/systematic_search.h"
#include "explore/workers/executor.h"
#include "shrink/phases/phases.h"

namespace heddle::shrink {

// Enumerates the schedules of the program without the omitted threads and iterations, those with the fewest preemptions
// first. REQUIRES: reduction.trials.can_serve()
class ScheduleSearch {
 public:
  ScheduleSearch(Reduction& reduction, clip::Omitted omitted, std::uint32_t preemptions_max);

  // Finds the first run that fails in the wanted way and for which `holds` is true, within `steps_max` steps and the
  // budget.
  std::optional<FailingRun> find(const FailureTrials::Holds& holds, std::uint64_t steps_max);

  // True if all schedules were tried.
  bool complete() const { return search_.bound_completed() >= preemptions_max_; }

 private:
  Reduction& reduction_;
  const clip::Omitted omitted_;
  const std::uint32_t preemptions_max_;
  explore::Executor executor_;
  explore::SystematicSearch search_;
  std::uint64_t longest_ = 0;  // steps of the longest run
};

}  // namespace heddle::shrink
