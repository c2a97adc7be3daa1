#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "explore/systematic/systematic_search.h"
#include "explore/workers/executor.h"
#include "shrink/phases/phases.h"

namespace heddle::shrink {

// All schedules of the program without what is omitted, those with the fewest preemptions first. REQUIRES:
// reduction.trials.can_serve()
class ScheduleSearch {
 public:
  ScheduleSearch(Reduction& reduction, clip::Omitted omitted, std::uint32_t preemptions_max);

  // The first that fails in the wanted way and for which `holds` is true. At most so many steps are made, and no more
  // than can be afforded.
  std::optional<FailingRun> find(const FailureTrials::Holds& holds, std::uint64_t steps_max);

  // There is none.
  bool complete() const { return search_.bound_completed() >= preemptions_max_; }

 private:
  Reduction& reduction_;
  const clip::Omitted omitted_;
  const std::uint32_t preemptions_max_;
  explore::Executor executor_;
  explore::SystematicSearch search_;
  std::uint64_t longest_ = 0;  // steps of a run
};

}  // namespace heddle::shrink
