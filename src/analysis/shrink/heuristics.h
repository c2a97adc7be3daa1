#pragma once
#include <cstddef>
#include <cstdint>

namespace heddle::shrink {

// The constants that shrinking is tuned by. A step is a scheduling point that a run makes; "the original" is the
// failing run that is to become smaller; "runs" are of the length of what is left, and are what must be affordable
// before something begins.
struct Heuristics {
  // --- What a run costs, in steps of one that is not recorded.
  static constexpr std::uint64_t kStepsToStart = 150'000;  // a copy of the fork server
  static constexpr std::uint64_t kStepsToSkip = 4;         // an iteration that is omitted, which its loop must ask for
  // Tenths of a plain step: recording accesses takes half as much again, recording their values twice as long.
  static constexpr std::uint64_t kPlainTenths = 10, kAccessesTenths = 15, kValuesTenths = 20;

  // --- What all runs together may cost.
  // Steps of the original from which on a recording takes long: nothing is recorded that may not be needed.
  static constexpr std::uint64_t kLongRun = 4'000'000;
  // Up to so many steps of the original this many are made in any case.
  static constexpr std::uint64_t kShortRun = 20'000, kStepsForShortRun = 700'000;
  // Otherwise 7.5 times the original; of these, half an original is kept for runs shorter than an eighth of it, which
  // make the result minimal and cost little.
  static constexpr std::uint64_t kEighths = 60, kEighthsInLongRuns = 56, kLongShare = 8;
  // Of a long original the time counts: six replays of eight, which leaves one for writing the clip and one for a
  // machine that is not always as fast. 400 short runs are made in any case, once a sixteenth of the original is left.
  static constexpr std::uint64_t kReplays = 6, kShortRuns = 400, kSmall = 16;
  // Another sequential order of the whole program: when finding the first one took no more than two originals.
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
  static constexpr std::uint32_t kHostsMax = 64, kHostsOfSearch = 8;  // threads that a fork server prepares
  // Several only where the last ones took a 32nd of the original at most, or 2,000 steps: some turn out not to be
  // needed.
  static constexpr std::uint64_t kParallelShare = 32, kParallelShort = 2'000;

  // --- Guesses.
  static constexpr std::uint64_t kRunsOfGuess = 4;  // a long run is left to guesses that make it shorter
  // Pairs of threads that interfered: all that are tried, those with their preemption at the same place of the program,
  // and how many times that place is tried.
  static constexpr std::size_t kPairs = 8, kPairsByPlace = 3, kTimesAtPlace = 3;
  static constexpr std::size_t kPairsOften = 3, kTimesOften = 40;  // the same, when nothing else helped
  static constexpr std::size_t kTimesToWait = 16;                  // turns of each thread before the late ones run
  static constexpr std::size_t kNearSearched = 2;  // threads near the failing ones whose schedules are searched,
  static constexpr std::uint64_t kNearShare = 4;   // with a quarter of what can be afforded
  static constexpr std::size_t kPreemptionGuesses = 24;
  static constexpr std::size_t kInterferencesKept = 2;  // whose iterations stay
  static constexpr std::uint64_t kFewStops = 2;         // preemptions that are not worth a long run

  // --- Iterations.
  static constexpr std::uint64_t kLargeLoopShare = 16;  // a block that repeats is tried with a sixteenth of the points
  static constexpr std::uint64_t kRunsOfHalving = 8,
                                 kHalvingSteps = 20'000;  // as long as halves of a set are tried; steps: always
  static constexpr std::uint64_t kRunsToStopAgain = 6;
  static constexpr std::size_t kStopsInVain = 8;  // in a row; then the preemption is not tried at other points
  static constexpr std::uint64_t kRunsOfLoop = 2, kLoopShare = 8;  // an eighth is left for what comes after

  // --- Other phases.
  static constexpr std::uint64_t kRunsOfRetry = 2;  // one to find the place, and at least one that it leads to
  static constexpr std::uint64_t kRunsOfPlace = 3, kRunsOfSlice = 3;
  static constexpr std::uint32_t kThreadsEnough = 3;  // with main: most bugs need no more
  static constexpr std::uint64_t kSearchShare = 8;    // of what can be afforded, for one thread less
};

}  // namespace heddle::shrink
