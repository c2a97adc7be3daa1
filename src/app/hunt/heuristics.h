#pragma once
// How a hunt divides its time. Nothing begins after the end of the time; what is under way then is ended.
#include <chrono>

namespace heddle::hunt {

// Shares of the whole time: for the first search, which must leave time to predict; and for executing predictions.
inline constexpr double kFirstSearch = 0.35, kPrediction = 0.15;
// A search with less time than this is not started.
inline constexpr std::chrono::milliseconds kSearchMin{200};
// Part of the remaining time that a search leaves for the examination of its failures: a share, and a maximum. What is
// left of it goes to the next search.
inline constexpr double kExamination = 0.35;
inline constexpr std::chrono::milliseconds kExaminationMax{30'000};
// For each bug. The maxima leave time for the next one.
inline constexpr std::chrono::milliseconds kExplainMax{30'000};
inline constexpr std::chrono::milliseconds kBreakpointsMax{30'000};
// Native runs in which breakpoints must fail: half of the default of `heddle breakpoints`, to save time.
inline constexpr int kNativeRuns = 10;

}  // namespace heddle::hunt
