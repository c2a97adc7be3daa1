#pragma once
// The configuration of a run: engine, strategy, bounds, armed sites, and the positions of the session's inputs.
#include <cstdint>

#include "format/graph.h"

namespace heddle::format {

enum class EngineKind : std::uint32_t { Fiber = 0, Thread = 1 };

enum class StrategyKind : std::uint32_t {
  Sequential = 0,         // a thread runs until it blocks or exits; then the lowest id
  SequentialReverse = 1,  // ... then the highest id
  SequentialRandom = 2,   // ... then a random thread
  RoundRobin = 3,         // `quantum` points each
  Random = 4,             // at every point a random choice with probability 1/`quantum`
  Replay = 5,             // exactly the given runs and choices
  ReplayBySite = 6,       // the given switches, located by site, occurrence and kind
  Pct = 7,                // priorities; at `depth` - 1 of `length` steps the current thread's drops
  Pos = 8,                // partial order sampling: every operation has a random priority
  Surw = 9,               // uniform over the orders of the interesting operations, from their counts per thread
  Guided = 11,            // the given runs while they can be followed, then random by `quantum`; 0: sequential
  Turns = 12,             // the given turns, by the progress of each thread; then sequential
  Systematic = 10,        // the given deviations, otherwise the default order; logs the alternatives
};

enum class ArmMode : std::uint32_t { All = 0, None = 1, Only = 2, AllBut = 3 };

// What takes virtual time. A clip names the model of its run, and a replay uses the same one.
enum class TimeModel : std::uint32_t {
  Steps = 0,  // scheduling points and readings of clocks; timerfd runs on the kernel's clock
  Work = 1,   // system calls, threads and processes, too; waiting for a clock ends after few readings
};
inline constexpr TimeModel kNewestTimeModel = TimeModel::Work;

enum SessionFlag : std::uint32_t {
  kRecordEvents = 1u << 0,     // records accesses, synchronisation and allocations, not only the schedule
  kRecordValues = 1u << 1,     // records the values of reads and writes
  kAnnotate = 1u << 2,         // records the occurrence and the stack of each switch, for a clip's preemptions
  kSpuriousWakeups = 1u << 3,  // condition variables may wake without a signal
  kNative = 1u << 4,           // instrumented but not controlled: real threads, no scheduling
  kDebugger = 1u << 5,         // no watchdog, no signal handlers of the runtime
  kForkServer = 1u << 7,       // stops before main and makes a copy of the process for each run
  kObserve = 1u << 8,          // computes SessionProgress::state and the pairs of sites that met
  kDiscardRing = 1u << 9,      // the host does not read the ring
  kRecordBlocks = 1u << 10,    // HEDDLE_HOOKS=branches: records every block that a thread reaches
  kIgnoreFreed = 1u << 11,     // a use of freed memory does not end the run
};

struct SessionConfig {
  EngineKind engine;
  StrategyKind strategy;
  std::uint64_t seed;
  std::uint64_t quantum;           // see StrategyKind
  std::uint64_t steps_max;         // step budget, a livelock beyond it; 0: unbounded
  std::uint64_t early_timeout_ns;  // time-outs of at most this length may fire while others can run; 0: none
  std::uint64_t fair_points;       // points after which a thread must yield if others can run; 0: default
  std::uint32_t flags;
  ArmMode arm_mode;
  TimeModel time_model;
  std::uint32_t processors;     // number of processors that the program sees
  std::uint32_t depth;          // Pct
  std::uint64_t length;         // Pct: expected steps of a run, from main on
  std::uint32_t default_order;  // Systematic, when the thread cannot continue: 0 lowest id, 1 the next id after it;
                                // Guided, points of a run: 0 since its beginning, 1 since that of its thread
  std::uint32_t hosts;          // threads of a run, for which a fork server prepares hosts

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
  std::uint64_t disabled_offset, disabled_count;        // uint64_t, descents of threads that are skipped
  std::uint64_t iterations_offset, iterations_count;    // DisabledIterations, sorted, ranges of a key disjoint
  std::uint64_t repeats_offset, repeats_count;          // RepeatPlan; 0: a repeated body runs once
  std::uint64_t repeat_results_offset;                  // written by the runtime: a RepeatResult for each
  std::uint64_t log_offset, log_words;                  // written by the runtime: see DecisionLog
  std::uint64_t pairs_offset, pairs_slots;              // written by the runtime: see PairTable; a power of two
  GraphConfig graph;

  // When the runtime makes a frozen copy of the process for the host. With a descent (HEDDLE_HOOKS=branches): when its
  // thread reaches its `freeze_at`-th block; without: at the run's `freeze_at`-th scheduling point. 0: never.
  std::uint64_t freeze_descent, freeze_at;
};

}  // namespace heddle::format
