#pragma once
#include <cstddef>
#include <cstdint>

namespace heddle::shrink {

// The tuning constants of shrinking. A step is a scheduling point of a run. "The original" is the failing run that is
// to be shrunk. A constant kRunsOf... is the number of runs of the current best length that the budget must permit
// before a phase or guess begins.
struct Heuristics {
  // --- Cost of a run, in steps of an unrecorded run.
  static constexpr std::uint64_t kStepsToStart = 150'000;  // of a copy of the fork server
  static constexpr std::uint64_t kStepsToSkip = 4;         // of one skipped iteration, for which the loop calls a hook
  // Tenths of an unrecorded step: recording accesses adds one half, recording their values doubles the time.
  static constexpr std::uint64_t kPlainTenths = 10, kAccessesTenths = 15, kValuesTenths = 20;

  // --- Cost limit of all runs together.
  // Steps from which recording an original is expensive: optional recordings are skipped.
  static constexpr std::uint64_t kLongRun = 4'000'000;
  // An original of up to kShortRun steps always gets kStepsForShortRun steps.
  static constexpr std::uint64_t kShortRun = 20'000, kStepsForShortRun = 700'000;
  // A longer original gets 7.5 times its own steps. Half an original of these is reserved for runs shorter than an
  // eighth of it: they are cheap and make the result minimal.
  static constexpr std::uint64_t kEighths = 60, kEighthsInLongRuns = 56, kLongShare = 8;
  // For a long original the effort is limited, too: to six of the eight replays that shrinking may take. One of the
  // others is for writing the clip, one for variations in the machine's speed. After a sixteenth of the original is
  // left, 400 short runs are always permitted.
  static constexpr std::uint64_t kReplays = 6, kShortRuns = 400, kSmall = 16;
  // A second sequential order of the whole program is tried if finding the first took at most this many originals.
  static constexpr std::uint64_t kOrderChange = 2;
  // Random sequential orders to try after the two orders by thread number.
  static constexpr std::uint64_t kRandomOrders = 20;

  // --- Step limit of one run.
  // A run is stopped if it has not failed a quarter and this many steps later than the original.
  static constexpr std::uint64_t kBehindOriginal = 20'000;
  // A schedule says how far each thread runs until the failure. Beyond that, a run may make a hundredth of the
  // original's steps, within these bounds.
  static constexpr std::uint64_t kBehindScheduleMin = 200, kBehindScheduleMax = 2'000, kBehindScheduleShare = 100;
  // Limit of a sequential run, in originals: the original may have failed long before the end of the program.
  static constexpr std::uint64_t kSequentialTimes = 1'000;
  // Fairness must preempt only threads that spin: points beyond the original's.
  static constexpr std::uint64_t kFairInSequence = 1'000'000, kFairInSchedule = 10'000;

  // --- Parallel runs.
  static constexpr std::uint32_t kHostsMax = 64, kHostsOfSearch = 8;  // threads that a fork server prepares
  // Candidates run in parallel only if the last runs took at most a 32nd of the original, or 2,000 steps. Runs behind
  // the first success are wasted.
  static constexpr std::uint64_t kParallelShare = 32, kParallelShort = 2'000;

  // --- Guesses.
  static constexpr std::uint64_t kRunsOfGuess = 4;
  // Pairs of interfering threads: the number to try, the number to retry with the preemption at the same place of the
  // program, and the attempts per place.
  static constexpr std::size_t kPairs = 8, kPairsByPlace = 3, kTimesAtPlace = 3;
  static constexpr std::size_t kPairsOften = 3, kTimesOften = 40;  // the same after all other guesses have failed
  static constexpr std::size_t kTimesToWait = 16;                  // turns of each thread before the late ones run
  static constexpr std::size_t kNearSearched = 2;  // related threads to add in a search of all schedules
  static constexpr std::uint64_t kNearShare = 4;   // such a search may use a quarter of the budget that is left
  static constexpr std::size_t kPreemptionGuesses = 24;
  static constexpr std::size_t kInterferencesKept = 2;  // interferences whose iterations are kept
  static constexpr std::uint64_t kFewPreemptions = 2;   // not worth a run of the original's length

  // --- Iterations.
  static constexpr std::uint64_t kLargeLoopShare = 16;  // a repeated block is tried if it has a sixteenth of the points
  // Halves of a set are tried until they have cost this many runs; this many steps are always permitted.
  static constexpr std::uint64_t kRunsOfHalving = 8, kHalvingSteps = 20'000;
  static constexpr std::uint64_t kRunsOfPreemptionRetry = 6;
  static constexpr std::size_t kFailedRetriesMax = 8;  // in a row; then the preemption is not moved any more
  static constexpr std::uint64_t kRunsOfLoop = 2, kLoopShare = 8;  // an eighth of the budget is left for later phases

  // --- Other phases.
  static constexpr std::uint64_t kRunsOfRetry = 2;  // one to find the place, and one with the preemption there
  static constexpr std::uint64_t kRunsOfPlace = 3, kRunsOfSlice = 3;
  static constexpr std::uint32_t kThreadsEnough = 3;  // with main: most bugs need no more
  static constexpr std::uint64_t kSearchShare = 8;    // a search with one thread less may use an eighth of the budget
};

}  // namespace heddle::shrink
