#pragma once
#include <cstdint>

namespace heddle::shrink {

// The constants that shrinking is tuned by. A step is a scheduling point that a run makes; "the original" is the
// failing run that is to become smaller. Measured on the LEAN benchmarks (bench/lean) and on the kernels.
struct Heuristics {
  // --- What a run costs, in steps of one that is not recorded.
  static constexpr std::uint64_t kStepsToStart = 150'000;  // a copy of the fork server: about a millisecond
  static constexpr std::uint64_t kStepsToSkip = 4;         // an iteration that is omitted, which its loop must ask for
  // Tenths of a plain step: recording accesses takes half as much again, recording their values twice as long.
  static constexpr std::uint64_t kPlainTenths = 10, kAccessesTenths = 15, kValuesTenths = 20;

  // --- What all runs together may cost.
  // Steps of the original from which on its recordings take seconds: nothing is recorded that may not be needed.
  static constexpr std::uint64_t kLongRun = 4'000'000;
  // Up to so many steps of the original the number of runs decides, not their length: 700,000 steps are a second or
  // two.
  static constexpr std::uint64_t kShortRun = 20'000, kStepsForShortRun = 700'000;
  // Otherwise 7.5 times the original; of these, half an original is kept for runs shorter than an eighth of it, which
  // make the result minimal and cost little.
  static constexpr std::uint64_t kEighths = 60, kEighthsInLongRuns = 56, kLongShare = 8;
  // Of a long original the time counts: six replays of eight, which leaves one for writing the clip and one for a
  // machine that is slower than before; and half a second of short runs in any case, once the failing run has become
  // small.
  static constexpr std::uint64_t kReplays = 6, kShortRuns = 400, kSmall = 16;
  // The whole program in sequence, in another order than the first that passed: when that took no more than two
  // originals.
  static constexpr std::uint64_t kOrderChange = 2;

  // Sequential orders that are tried at random, after the two by thread number, until one passes.
  static constexpr std::uint64_t kRandomOrders = 20;

  // --- When one run is given up.
  // It has not failed a quarter later than the original, and so many steps: it is not going to.
  static constexpr std::uint64_t kBehindOriginal = 20'000;
  // A schedule says how far each thread comes until the failure; behind that, a hundredth of the original within these
  // bounds.
  static constexpr std::uint64_t kBehindScheduleMin = 200, kBehindScheduleMax = 2'000, kBehindScheduleShare = 100;
  // A sequential run of the whole program, where the original failed long before its end: times the original.
  static constexpr std::uint64_t kSequentialTimes = 1'000;
  // Fairness preempts only threads that spin: points beyond those of the original.
  static constexpr std::uint64_t kFairInSequence = 1'000'000, kFairInSchedule = 10'000;

  // --- Runs at a time.
  static constexpr std::uint32_t kHostsMax = 64;  // threads that a fork server prepares
  // Several only where the last ones took a 32nd of the original at most, or 2,000 steps: some turn out not to be
  // needed.
  static constexpr std::uint64_t kParallelShare = 32, kParallelShort = 2'000;
};

}  // namespace heddle::shrink
