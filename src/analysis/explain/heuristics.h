#pragma once
// The bounds and weights of explaining, with their units. Each trades completeness for time; none changes what a trial
// proves.
#include <chrono>
#include <cstddef>
#include <cstdint>

namespace heddle::explain {

// Trials.
// Time of one trial: half of --time's default, so that one trial that hangs does not take all of it.
inline constexpr std::chrono::milliseconds kTrialTimeoutMax{10'000};
// Time of a replay: it must succeed, so it may use all of --time's default.
inline constexpr std::chrono::milliseconds kReplayTimeoutMax{20'000};
// Points of a trial, the second for each of the failing run's: another order may retry and spin for a while; with more
// it is taken for one that does not end.
inline constexpr std::uint64_t kStepsMin = 20'000, kStepsFactor = 20;
// Switches of a clip whose order is translated into a run with more armed sites: each costs a run.
inline constexpr std::size_t kRearmedSpansMax = 80;

// Fewer preemptions.
// Prefixes of the order that are tried, each in one trial: of a longer order every n-th.
inline constexpr std::size_t kPrefixesTried = 150;
// Preemptions above which a simpler schedule is searched: most bugs need no more than two.
inline constexpr std::size_t kPreemptionsWanted = 2;
// Of that search: time, less than a third of --time's default; and schedules, which short programs reach first.
inline constexpr std::chrono::milliseconds kSearchTime{6'000};
inline constexpr std::uint64_t kSearchRuns = 20'000;

// The pattern.
// Events of the stopped thread on either side of the stop: the deciding access is near it; a long loop is not all
// tried.
inline constexpr std::size_t kEventsAroundStop = 4'000;
// Units tried for one mark, each in one trial: the nearest to the stop come first, and a unit further away seldom
// decides.
inline constexpr std::size_t kCandidatesMax = 120;
// Switches, from the last one backwards, before which another thread is given the turn.
inline constexpr std::size_t kStartsMax = 40;
// Critical sections before a wait in which the thread may have looked at what it waits for: its own, and the one
// before.
inline constexpr std::size_t kLocksBack = 2;

// The timeline.
// Steps shown: about three screens; a longer interleaving is not read.
inline constexpr std::size_t kStepsShownMax = 160;
// Events before the end of the run that may be shown at all: a cause that is further away is found by its own events.
inline constexpr std::size_t kEventsShownMax = 2'000;
// Events before the first preemption or access of the cause that are shown: enough to see where the thread is.
inline constexpr std::size_t kEventsOfContext = 8;
// Points before each switch that are shown in any case: what the thread did last.
inline constexpr std::size_t kAroundSwitch = 2;
// Runs spent on the callers of library code, one a line; accesses of the cause are not counted.
inline constexpr std::size_t kPlacesAskedMax = 24;

}  // namespace heddle::explain
