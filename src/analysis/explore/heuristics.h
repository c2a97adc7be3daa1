#pragma once
// The constants of exploration, with their units. They decide which schedules come early, not which are possible.
#include <chrono>
#include <cstddef>
#include <cstdint>

#include "format/run_config.h"

namespace heddle::explore {

// Runs between two fully armed ones: these are slower, and their results hold two batches later.
inline constexpr std::uint64_t kBatch = 50;

// The portfolio.
// Strategies in turn, so that a short exploration uses all of them. Their number is prime, so an exploration that uses
// every n-th schedule for something else skips none of them.
inline constexpr format::StrategyKind kPortfolio[] = {
    format::StrategyKind::Random, format::StrategyKind::Pos, format::StrategyKind::Pct, format::StrategyKind::Surw,
    format::StrategyKind::Random, format::StrategyKind::Pct, format::StrategyKind::Pos, format::StrategyKind::Surw,
    format::StrategyKind::Random, format::StrategyKind::Pct, format::StrategyKind::Pos, format::StrategyKind::Surw,
    format::StrategyKind::Random,
};
// Depths of PCT, drawn at random. Most bugs need at most 3; deeper bugs need more schedules with any strategy.
inline constexpr std::uint32_t kDepths[] = {2, 3, 2, 3, 2, 3, 4, 2, 3, 5};
// The largest mean quantum of random schedules: in points, and as a share of a long run. A quantum as long as the run
// makes no switch; a small quantum in a long run makes so many switches that no thread gets far ahead of another.
inline constexpr std::uint64_t kQuantumMax = 32, kQuantumShare = 64;
// One of this many schedules of a portfolio belongs to the systematic search, which finds all bugs that need few
// preemptions.
inline constexpr std::uint64_t kSearchEvery = 4;

// Checkpoints.
// Steps between two checkpoints: a copy of the process takes as long as some ten thousand steps.
inline constexpr std::uint64_t kDistanceMin = 30'000;
// Checkpoints of one run: each uses memory while it exists.
inline constexpr std::size_t kPlannedMax = 6;

// Workers.
// Schedules in one process, with --in-process: enough to make the start of the process negligible.
inline constexpr std::uint64_t kBlock = 256;
// Runs between two reads of a worker's table of pairs: reading the table takes longer than a short run.
inline constexpr std::uint64_t kPairsEvery = 64;
// Time between two lines of progress, and until waiting workers see an interrupt: too short for a user to notice.
inline constexpr std::chrono::milliseconds kShowEvery{100};

}  // namespace heddle::explore
