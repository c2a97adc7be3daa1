#pragma once
// The bounds of finding breakpoints, with their units.
#include <cstddef>
#include <cstdint>

namespace heddle::breakpoints {

// Candidates.
// Rendezvous that are tried: each costs a trial of several schedules.
inline constexpr std::size_t kMeetingsMax = 60;
// Parts of one turn that are in conflict with another turn: each pair of parts is a candidate.
inline constexpr std::size_t kPartsMax = 5;
// Turns before the failure, from its end: what is far from it hardly decides.
inline constexpr std::size_t kStretchesMax = 64;
// Executions of the program that are worth knowing a place better.
inline constexpr std::size_t kLookupsMax = 8;

// Sets.
// Breakpoints of a set, and sets of one size that are tried with one more: the search grows with both.
inline constexpr std::size_t kSizeMax = 4;
inline constexpr std::size_t kExtended = 16;
// Schedules under control, all of which must fail before a set is tried natively: what depends on anything but the
// breakpoints differs among the first few already, and the rest leaves little to chance.
inline constexpr int kSchedules = 60;
// By how many of a few schedules fail it is decided which sets are worth another breakpoint: schedules, and misses in
// them after which a set is given up.
inline constexpr int kSchedulesOfSearch = 8, kMissesOfSearch = 5;
// Native runs, before a set is worth the whole number of them.
inline constexpr int kRunsOfSearch = 6;
// Milliseconds that a thread waits at a breakpoint. A set that is kept is hit in every schedule, so that this is hardly
// ever waited for: it must be longer than any loaded machine takes to bring the partner.
inline constexpr long long kTimeoutMs = 10'000;

// The sweep over all conflicts.
// Runs that are looked at for conflicts: random schedules reach other code each.
inline constexpr std::uint64_t kSeeds = 3;
// Accesses to one place in memory that are remembered of each thread: later ones seldom say more.
inline constexpr std::size_t kRememberedPerThread = 4;

}  // namespace heddle::breakpoints
