#pragma once
// The limits of the execution of predictions, with their units.
#include <cstdint>

namespace heddle::validate {

// Traces in which one anomaly is executed with a witness of one strength: each trace may surround it with other data.
inline constexpr unsigned kTriesMax = 4;
// Random continuations after an order that is not an anomaly: its run is used for its new paths, not for a failure.
inline constexpr unsigned kTailsOfOrders = 1;
// Mean number of points between two switches of a continuation: short, so that the threads interfere right after the
// anomaly.
inline constexpr std::uint64_t kTailQuantum = 4;

}  // namespace heddle::validate
