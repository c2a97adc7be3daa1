#pragma once
// The bounds of explaining, with their units. Each trades completeness for time; none changes what a trial proves.
#include <chrono>
#include <cstddef>
#include <cstdint>

namespace heddle::explain {

// Trials.
// Time of one trial: half of the default of --time, so that one hanging trial does not use all of it.
inline constexpr std::chrono::milliseconds kTrialTimeoutMax{10'000};
// Time of a replay: without it there is no explanation, so it may use all of the default of --time.
inline constexpr std::chrono::milliseconds kReplayTimeoutMax{20'000};
// Points of a trial: a minimum plus a factor of the failing run's points. Another order can retry and spin for a while;
// a trial with more points counts as not terminating.
inline constexpr std::uint64_t kStepsMin = 20'000, kStepsFactor = 20;
// Switches of a clip whose order is translated to more armed sites: each costs a run.
inline constexpr std::size_t kRearmedSpansMax = 80;

// Fewer preemptions.
// Prefixes of the order that are tried, one trial each; of a longer order, every n-th prefix.
inline constexpr std::size_t kPrefixesTried = 150;
// Preemptions above which a simpler schedule is searched: most bugs need at most two.
inline constexpr std::size_t kPreemptionsWanted = 2;
// Bounds of that search: time, less than a third of the default of --time; and schedules, which end it first for short
// programs.
inline constexpr std::chrono::milliseconds kSearchTime{6'000};
inline constexpr std::uint64_t kSearchRuns = 20'000;

// The pattern.
// Events of the stopped thread on either side of the stop: the deciding access is near, and a long loop has too many.
inline constexpr std::size_t kEventsAroundStop = 4'000;
// Units tried for one mark, one trial each: the nearest to the stop come first, and distant units seldom decide.
inline constexpr std::size_t kCandidatesMax = 120;
// Switches, from the last one backwards, before which another thread is tried first.
inline constexpr std::size_t kStartsMax = 40;
// Critical sections before a wait in which the thread may have read the awaited state: that of the wait and the
// previous one.
inline constexpr std::size_t kLocksBack = 2;

// The timeline.
// Steps shown: about three screens; no reader follows a longer interleaving.
inline constexpr std::size_t kStepsShownMax = 160;
// Events before the end of the run that may be shown. Events of the cause are shown even if they are earlier.
inline constexpr std::size_t kEventsShownMax = 2'000;
// Events shown before the first preemption or access of the cause, as context.
inline constexpr std::size_t kEventsOfContext = 8;
// Points shown before each switch in any case: the last actions of the thread.
inline constexpr std::size_t kAroundSwitch = 2;
// Runs that search for the callers of library code, one for each line; accesses of the cause do not count.
inline constexpr std::size_t kPlacesSearchedMax = 24;

}  // namespace heddle::explain
