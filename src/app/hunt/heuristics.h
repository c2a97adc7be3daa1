#pragma once
// How a hunt divides its time. The minima apply even after the end of the time, so that bugs found late are examined,
// too.
#include <chrono>

namespace heddle::hunt {

// Shares of the whole time: for the first search, which must leave time to predict; and for executing predictions.
inline constexpr double kFirstSearch = 0.35, kPrediction = 0.15;
// A search with less time than this is not started.
inline constexpr std::chrono::milliseconds kSearchMin{200};
// For each bug. The maxima leave time for the next one.
inline constexpr std::chrono::milliseconds kShrinkMin{3'000};
inline constexpr std::chrono::milliseconds kExplainMin{5'000}, kExplainMax{30'000};
inline constexpr std::chrono::milliseconds kBreakpointsMin{10'000}, kBreakpointsMax{30'000};
// Native runs in which breakpoints must fail: half of the default of `heddle breakpoints`, to save time.
inline constexpr int kNativeRuns = 10;

}  // namespace heddle::hunt
