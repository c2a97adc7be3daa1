#pragma once
// The weights and bounds of communication graphs, with their units.
#include <cstddef>
#include <cstdint>

namespace heddle::graph {

// Rankings.
// Of the score, for what comes first: less than one run in a hundred more or less would make.
inline constexpr double kOrderWeight = 0.01;
// Of the score, for the second end of an edge. Of two ends that tell as much the source is first: it is what came at
// the wrong moment, and the sink only met with it. Where the source gave a first value, which has always been there, it
// is the sink that came too early.
inline constexpr double kSecondEnd = 0.05;
// Of a run: a failure that follows its cause at once is seen within so much of it.
inline constexpr double kSoon = 0.05;
// Runs by which chances are computed: of more runs the shares tell as much, and the table grows with them.
inline constexpr std::uint64_t kChanceRunsMax = 2000;
// Outliers: a run that ended before others lacks so many times more than the next one that did not.
inline constexpr double kTimesMore = 1.5;
// Runs that ended as they should, at least, and one of so many: one or two may lack little by chance.
inline constexpr std::size_t kRegularLeast = 3;
inline constexpr std::size_t kRegularShare = 10;

// Monitoring.
// Above it a new edge is reported: at this code point fewer than one edge in ten was new in a test run.
inline constexpr double kNoveltyDefault = 0.9;
// Edges of a neighbourhood that are shown: about one screen.
inline constexpr std::size_t kLinksDefault = 40;

// Collecting.
// Runs, where --runs does not say: with fewer, single runs decide a ranking.
inline constexpr std::uint64_t kRunsDefault = 50;
// Edges that a run has room for, a power of two; natively more, where runs are longer.
inline constexpr std::uint64_t kSlots = std::uint64_t{1} << 16;
inline constexpr std::uint64_t kNativeSlots = std::uint64_t{1} << 20;

// Loads that the processor samples.
// Cycles of a load at least: what comes from another core takes longer than from the own caches.
inline constexpr std::uint64_t kLatencyLeast = 30;
// One of so many such loads is sampled; of AMD's operations of all kinds fewer, for there are more of them.
inline constexpr std::uint64_t kLoadPeriod = 500;
inline constexpr std::uint64_t kOperationPeriod = 1 << 14;

}  // namespace heddle::graph
