#pragma once
// The bounds of going from a core to a schedule, with their units. `heddle core` has options for what a user may want
// to widen.
#include <cstddef>
#include <cstdint>

namespace heddle::coredump {

// Passing runs.
// Random orders of the threads that are tried until one passes: where none of these does, order is not what fails.
inline constexpr std::uint64_t kRandomOrders = 20;
// Into how many slices threads are cut, in turn: few first, since each more changes more.
inline constexpr std::uint32_t kSlices[] = {8, 16, 4, 32, 2, 64};

// The slice of the paper's ranking.
// Reads that one write is taken to depend on: those of its thread before it, the nearest.
inline constexpr std::size_t kReadsMax = 512;
// Reads of the function in which the thread stands that make the criterion.
inline constexpr std::size_t kCriterionReads = 8;
// Words of one range that are followed.
inline constexpr std::size_t kGranulesMax = 64;

// The search.
// Schedules by which a run is brought nearer to the core, of each space, and of all spaces together.
inline constexpr std::size_t kSchedulesMax = 8;
inline constexpr std::uint64_t kNearerTriesMax = 60;
// Schedules that are tried in each space before those in which the other threads stand where the core shows them, and
// then in each of these: most failures need only the first few, and the rest is tried afterwards.
inline constexpr std::uint64_t kTriesBeforePlaces = 7, kTriesInPlaces = 20;
// Candidates behind the failing point that are considered: the list is long, and what comes long after it seldom
// decides.
inline constexpr std::size_t kBehindMax = 16;
// Sets in a row with which nothing can be tried: then there are no others.
inline constexpr unsigned kSetsMax = 100'000;
// Points of a trial, by those of the passing run: another order may do more, but not that much more.
inline constexpr std::uint64_t kTimesLonger = 4, kLonger = 10'000;

}  // namespace heddle::coredump
