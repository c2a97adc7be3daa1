#pragma once
// How a run is made: engine, strategy, bounds, armed sites, and where the session's inputs lie.
#include <cstdint>

#include "format/graph.h"

namespace heddle::format {

enum class EngineKind : std::uint32_t { Fiber = 0, Thread = 1 };

enum class StrategyKind : std::uint32_t {
  Sequential = 0,         // run a thread until it blocks or ends; lowest id next
  SequentialReverse = 1,  // ... highest id next
  SequentialRandom = 2,   // ... random next
  RoundRobin = 3,         // `quantum` points each
  Random = 4,             // at every point switch with probability 1/`quantum`
  Replay = 5,             // exactly the given runs and choices
  ReplayBySite = 6,       // the given switches, found by site, occurrence and kind
  Pct = 7,                // priorities, and `depth` - 1 places among `length` steps where the running thread's drops
  Pos = 8,                // partial order sampling: every operation has a random priority
  Surw = 9,               // uniform over the orders of the interesting operations, by the counts given for each thread
  Guided = 11,            // the given runs as far as they can be followed, then by `default_order` and `quantum`
  Turns = 12,             // the given turns, by how far each thread itself has come; then sequentially
  Systematic = 10,        // the given deviations, the default order otherwise; what could have been chosen is logged
};

enum class ArmMode : std::uint32_t { All = 0, None = 1, Only = 2, AllBut = 3 };

enum SessionFlag : std::uint32_t {
  kRecordEvents = 1u << 0,     // accesses, synchronisation, allocations; else only the schedule
  kRecordValues = 1u << 1,     // reads and writes carry their value
  kAnnotate = 1u << 2,         // switches carry the occurrence of their site and the stack: makes a clip's preemptions
  kSpuriousWakeups = 1u << 3,  // condition variables may wake without a signal
  kNative = 1u << 4,           // instrumented but not controlled: real threads, no scheduling
  kDebugger = 1u << 5,         // no watchdog, no signal handlers of our own
  kQuiet = 1u << 6,
  kForkServer = 1u << 7,     // stop before main and make a copy of the process for every run that is asked for
  kObserve = 1u << 8,        // keep SessionProgress::state and the pairs of sites that met
  kDiscardRing = 1u << 9,    // nobody reads the ring
  kRecordBlocks = 1u << 10,  // HEDDLE_HOOKS=branches: every block that a thread comes to
  kIgnoreFreed = 1u << 11,   // the use of freed memory ends nothing: what comes of it is wanted
};

struct SessionConfig {
  EngineKind engine;
  StrategyKind strategy;
  std::uint64_t seed;
  std::uint64_t quantum;      // see StrategyKind
  std::uint64_t steps_max;    // livelock beyond; 0: no bound
  std::uint64_t early_timeout_ns;  // time-outs of at most this length may fire while another thread can run; 0: none
  std::uint64_t fair_points;       // a thread gives the turn up after so many points while others could run; 0: default
  std::uint32_t flags;
  ArmMode arm_mode;
  std::uint32_t processors;     // what the program is told
  std::uint32_t depth;          // Pct
  std::uint64_t length;         // steps that a run is expected to have, from main on: Pct
  std::uint32_t default_order;  // Systematic, when the thread cannot go on: 0 lowest id, 1 the next id after it;
                                // Guided, points of a run: 0 of that run, 1 of its thread since its beginning
  std::uint32_t hosts;          // to be prepared by a fork server: threads that a run is expected to make

  // Inputs: byte offset from the start of the session, and count.
  std::uint64_t armed_names_offset, armed_names_count;  // uint64_t, sorted
  std::uint64_t descents_offset, descents_count;        // uint64_t
  std::uint64_t runs_offset, runs_count;                // ReplayRun
  std::uint64_t choices_offset, choices_count;          // uint32_t, index into the descents
  std::uint64_t arrivals_offset, arrivals_count;        // int64_t, results of reads from outside: Replay
  std::uint64_t switches_offset, switches_count;        // SiteSwitch
  std::uint64_t site_names_offset, site_names_count;    // uint64_t
  std::uint64_t ring_offset, ring_words;                // power of two
  std::uint64_t deviations_offset, deviations_count;    // Deviation, by step and nth
  std::uint64_t interesting_offset, interesting_count;  // uint32_t SiteIds, sorted: Surw
  std::uint64_t counts_offset, counts_count;            // uint64_t, interesting operations by index of descent: Surw
  std::uint64_t disabled_offset, disabled_count;        // uint64_t, descents of threads that are not to be started
  std::uint64_t iterations_offset, iterations_count;    // DisabledIterations, sorted, ranges of a key disjoint
  std::uint64_t repeats_offset, repeats_count;          // RepeatPlan; none: a body that asks is run once
  std::uint64_t repeat_results_offset;                  // the runtime's: as many RepeatResults
  std::uint64_t log_offset, log_words;                  // the runtime's: see DecisionLog
  std::uint64_t pairs_offset, pairs_slots;              // the runtime's: see PairTable; a power of two
  GraphConfig graph;

  // A copy of the process is left for the host to read. With a descent (HEDDLE_HOOKS=branches): when its thread comes
  // to its `freeze_at`-th block; without: at the run's `freeze_at`-th scheduling point. 0: never.
  std::uint64_t freeze_descent, freeze_at;
};

}  // namespace heddle::format
