#pragma once
// The constants of exploration, with their units. None decides which schedules are possible, only which come early.
#include <chrono>
#include <cstddef>
#include <cstdint>

#include "format/run_config.h"

namespace heddle::explore {

// Runs from one that is fully armed to the next: one in fifty is slower, and what it shows is known two batches later.
inline constexpr std::uint64_t kBatch = 50;

// The portfolio.
// One after the other, so that a short exploration has a bit of everything. A prime number of them: an exploration that
// uses every so-manieth schedule for something else leaves none of these out.
inline constexpr format::StrategyKind kPortfolio[] = {
    format::StrategyKind::Random, format::StrategyKind::Pos, format::StrategyKind::Pct, format::StrategyKind::Surw,
    format::StrategyKind::Random, format::StrategyKind::Pct, format::StrategyKind::Pos, format::StrategyKind::Surw,
    format::StrategyKind::Random, format::StrategyKind::Pct, format::StrategyKind::Pos, format::StrategyKind::Surw,
    format::StrategyKind::Random,
};
// Depths of PCT, in turn. Most bugs need no more; a deeper one is met by fewer schedules, however they are drawn.
inline constexpr std::uint32_t kDepths[] = {2, 3, 2, 3, 2, 3, 4, 2, 3, 5};
// The largest mean quantum of random schedules, in points, and as a share of a long run. A quantum that is a good part
// of the run makes no switch at all; in a long run a small one makes so many that no thread is ever far ahead of
// another.
inline constexpr std::uint64_t kQuantumMax = 32, kQuantumShare = 64;
// Of the schedules of a portfolio, one in so many is of the systematic search: it misses nothing that needs few
// preemptions.
inline constexpr std::uint64_t kSearchEvery = 4;

// Checkpoints.
// Steps between two: a copy takes as long as some ten thousand steps.
inline constexpr std::uint64_t kDistanceMin = 30'000;
// Checkpoints that one run asks for: each costs memory while it lives.
inline constexpr std::size_t kPlannedMax = 6;

// Workers.
// Schedules in one process, with --in-process: enough that starting it does not count.
inline constexpr std::uint64_t kBlock = 256;
// Runs between two looks at a worker's table of pairs: the table is larger than what a short run does.
inline constexpr std::uint64_t kPairsEvery = 64;
// Time between two lines of progress, and until an interrupt is noticed by workers that wait: less than a person
// notices.
inline constexpr std::chrono::milliseconds kShowEvery{100};

}  // namespace heddle::explore
