#pragma once
// Dependence distances by a backward slice over the events of a run (multicore dumps, section 4). The criterion is what
// the aligned thread has read last in the function in which it stands.
//
// A read depends on the last write to its bytes, a write on what its thread has read shortly before it. The latter stands
// for the registers between them, also across calls: it takes in more than depends in truth.
#include <cstdint>
#include <vector>

#include "coredump/search/rerun.h"

namespace heddle::coredump {

inline constexpr std::uint32_t kNotInSlice = ~std::uint32_t{0};

// By event: dependence edges between it and the criterion. Events from `aligned` on are not in the slice.
std::vector<std::uint32_t> slice_distances(const std::vector<RunEvent>& events, std::size_t aligned,
                                           std::uint32_t thread);

}  // namespace heddle::coredump
