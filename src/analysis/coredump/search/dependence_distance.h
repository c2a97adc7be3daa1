#pragma once
// How many dependences lie between each event of a run and the failure (multicore dumps, section 4): analysis/slice
// says which events the failure depends on, but not how far, and only of a run that logs how its values flow; this
// needs accesses alone.
//
// The criterion is what the aligned thread has read last in the function in which it stands. A read depends on the last
// write to its bytes, a write on what its thread has read shortly before it. The latter stands for the registers
// between them, also across calls: it takes in more than depends in truth.
#include <cstdint>
#include <vector>

#include "coredump/search/rerun.h"

namespace heddle::coredump {

inline constexpr std::uint32_t kIndependent = ~std::uint32_t{0};

// By event: dependence edges between it and the criterion; kIndependent also for events from `aligned` on.
std::vector<std::uint32_t> dependence_distances(const std::vector<RunEvent>& events, std::size_t aligned,
                                                std::uint32_t thread);

}  // namespace heddle::coredump
