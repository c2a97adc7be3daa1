#pragma once
// The bounds of the way from a core to a schedule, with their units. `heddle core` has options for the bounds that a
// user may want to widen.
#include <cstddef>
#include <cstdint>

namespace heddle::coredump {

// Passing runs.
// Random thread orders that are tried until one passes. If none passes, the order is not the cause.
inline constexpr std::uint64_t kRandomOrders = 20;
// Slices per thread, in the order of the trials: few first, because each slice changes the run more.
inline constexpr std::uint32_t kSlices[] = {8, 16, 4, 32, 2, 64};

// The slice of the paper's ranking.
// Reads on which one write is assumed to depend: the latest ones of its thread.
inline constexpr std::size_t kReadsMax = 512;
// Reads of the aligned thread that are the criterion: the latest ones.
inline constexpr std::size_t kCriterionReads = 8;
// Granules of one range that are followed.
inline constexpr std::size_t kGranulesMax = 64;

// The search.
// Schedules that bring a run nearer to the core, per space and in total.
inline constexpr std::size_t kSchedulesMax = 8;
inline constexpr std::uint64_t kNearerTriesMax = 60;
// Schedules that are tried first, in each space of the differences and then in those with the other threads at their
// positions in the core. Most failures need only the first few; the other schedules are tried later.
inline constexpr std::uint64_t kTriesBeforePlaces = 7, kTriesInPlaces = 20;
// Candidates after the aligned point that are considered. The list is long, and late candidates are seldom the cause.
inline constexpr std::size_t kBehindMax = 16;
// Consecutive sets without a new schedule after which a search space is exhausted.
inline constexpr unsigned kSetsMax = 100'000;
// Limit of a trial, in multiples of the passing run's points, plus a constant. Another order may take longer, but not
// much longer.
inline constexpr std::uint64_t kTimesLonger = 4, kLonger = 10'000;

}  // namespace heddle::coredump
