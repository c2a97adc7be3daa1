#pragma once
// The limits of the search for breakpoints, with their units.
#include <cstddef>
#include <cstdint>

namespace heddle::breakpoints {

// Candidates.
// Rendezvous that are tried: each costs a trial of several schedules.
inline constexpr std::size_t kRendezvousMax = 60;
// Units of one turn that conflict with another turn: each is a candidate.
inline constexpr std::size_t kPartsMax = 5;
// Turns before the failure: earlier ones rarely cause it.
inline constexpr std::size_t kTurnsMax = 64;
// Executions of the program to find the callers of library code near one place.
inline constexpr std::size_t kLookupsMax = 8;

// Sets.
// Breakpoints of a set, and sets of one size that are extended by one more: the search grows with both.
inline constexpr std::size_t kSizeMax = 4;
inline constexpr std::size_t kExtendedSetsMax = 16;
// Controlled schedules, all of which must fail before a set is tried natively. If a failure depends on more than the
// breakpoints, the first few schedules already differ; the others leave little to chance.
inline constexpr int kSchedules = 60;
// Schedules that rank the sets to extend, and schedules without the failure after which a set is abandoned.
inline constexpr int kSchedulesOfSearch = 8, kMissesOfSearch = 5;
// Native runs of a set before the full number of runs.
inline constexpr int kRunsOfSearch = 6;
// Milliseconds that a thread waits at a breakpoint. A kept set is hit in every schedule, so the wait rarely expires; it
// must be longer than the partner takes to arrive on any loaded machine.
inline constexpr long long kTimeoutMs = 10'000;

// The sweep over all conflicts.
// Recorded runs that are searched for conflicts: each random schedule reaches other code.
inline constexpr std::uint64_t kSeeds = 3;
// Accesses of one thread to one address that are compared with later ones: more rarely find another conflict.
inline constexpr std::size_t kRememberedPerThread = 16;

}  // namespace heddle::breakpoints
