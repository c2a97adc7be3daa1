#pragma once
// The number of dependences between each event of a run and the failure (multicore dumps, section 4). analysis/slice
// finds the events on which a failure depends, but not their distance, and it needs a run that logs its data flow. This
// needs accesses only.
//
// The criterion is the last reads of the aligned thread. A read depends on the last write to its bytes, and a write on
// the reads of its thread shortly before it. The latter stands for data flow through registers, also across calls, and
// is an over-approximation.
#include <cstdint>
#include <vector>

#include "coredump/search/rerun.h"

namespace heddle::coredump {

inline constexpr std::uint32_t kIndependent = ~std::uint32_t{0};

// By event: the dependence edges between the event and the criterion; kIndependent for all events from `aligned` on.
std::vector<std::uint32_t> dependence_distances(const std::vector<RunEvent>& events, std::size_t aligned,
                                                std::uint32_t thread);

}  // namespace heddle::coredump
