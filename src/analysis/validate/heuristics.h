#pragma once
// The bounds of executing predictions, with their units.
#include <cstdint>

namespace heddle::validate {

// Traces in which one anomaly is executed with a witness of one strength: a further trace may have other data around
// it.
inline constexpr unsigned kTriesMax = 4;
// Ways to continue after an order that leads to nothing by itself: its run is wanted for what is new in it, not for a
// failure.
inline constexpr unsigned kTailsOfOrders = 1;
// Points between two switches of those ways, in the mean: short, so that the threads interfere while the anomaly is
// fresh.
inline constexpr std::uint64_t kTailQuantum = 4;

}  // namespace heddle::validate
