#pragma once
// The weights and bounds of communication graphs, with their units.
#include <cstddef>
#include <cstdint>

namespace heddle::graph {

// Rankings.
// Share of the score that the order of edges decides: less than the effect of one run in a hundred.
inline constexpr double kOrderWeight = 0.01;
// Penalty, in order, for the second end of an edge. Of two equally conclusive ends the source comes first: it is the
// write at the wrong moment, and the sink only met its value. If the source gives a first value, which is always
// present, the sink came too early and is first.
inline constexpr double kSecondEnd = 0.05;
// Share of a run within which a failure shows when it follows its cause immediately.
inline constexpr double kSoon = 0.05;
// Runs for which probabilities are computed; larger collections are scaled down, because the table grows with the runs
// and the shares stay the same.
inline constexpr std::uint64_t kChanceRunsMax = 2000;
// Outliers: factor by which a run that ended early lacks more than the next regular run.
inline constexpr double kOutlierFactor = 1.5;
// Runs that are regular in any case: at least 3, and one in 10, because one or two runs may lack little by chance.
inline constexpr std::size_t kRegularRunsMin = 3;
inline constexpr std::size_t kRegularShare = 10;

// Monitoring.
// Novelty from which a new edge is reported: fewer than one edge in ten was new at this code point in a test run.
inline constexpr double kNoveltyDefault = 0.9;
// Edges of a neighbourhood that are shown: about one screen.
inline constexpr std::size_t kLinksDefault = 40;

// Collecting.
// Runs without --runs: with fewer, single runs decide a ranking.
inline constexpr std::uint64_t kRunsDefault = 50;
// Capacity for edges of a run, a power of two; native runs are longer and have more.
inline constexpr std::uint64_t kSlots = std::uint64_t{1} << 16;
inline constexpr std::uint64_t kNativeSlots = std::uint64_t{1} << 20;

// Loads that the processor samples.
// Minimum latency in cycles: a transfer from another core takes longer than a hit in the core's own caches.
inline constexpr std::uint64_t kLatencyMin = 30;
// Sampling periods: in such loads, and in operations of all kinds, which are more frequent, on AMD.
inline constexpr std::uint64_t kLoadPeriod = 500;
inline constexpr std::uint64_t kOperationPeriod = 1 << 14;

}  // namespace heddle::graph
