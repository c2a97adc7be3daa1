#pragma once
// How a hunt divides its time. A minimum is kept even when the time is over: a bug found late is examined all the same.
#include <chrono>

namespace heddle::hunt {

// Of the whole time: until the first failure at most, since predicting needs some, too; and for executing predictions.
inline constexpr double kFirstSearch = 0.35, kPrediction = 0.15;
// Less time than this is not worth starting a search.
inline constexpr std::chrono::milliseconds kSearchMin{200};
// Of one bug. The maxima leave time for the next one.
inline constexpr std::chrono::milliseconds kShrinkMin{3'000};
inline constexpr std::chrono::milliseconds kExplainMin{5'000}, kExplainMax{30'000};
inline constexpr std::chrono::milliseconds kBreakpointsMin{10'000}, kBreakpointsMax{30'000};
// Native runs that breakpoints must fail in: half of what `heddle breakpoints` asks for, whose only work it is.
inline constexpr int kNativeRuns = 10;

}  // namespace heddle::hunt
