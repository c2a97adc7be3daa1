#pragma once
// The memory that one controlled run shares with the process that started it. The host fills the configuration and the
// inputs, starts the program with HEDDLE_SESSION=<file descriptor> and drains the ring while it runs; the runtime writes
// the ring and the result. Because it is shared, a program that is killed at any moment loses nothing that it did.
//
//   [Session][inputs: arrays at the offsets named in SessionConfig][ring: ring_words * 8 bytes]
//
// Never stored on disk: both sides are of one build (`version` is checked all the same).
#include <atomic>
#include <cstdint>

#include "format/event.h"
#include "format/graph.h"

namespace heddle::format {

inline constexpr std::uint64_t kSessionMagic = 0x4e4f'4953'5345'5348u;  // "HSESSION"
inline constexpr std::uint32_t kSessionVersion = 2;
inline constexpr const char* kSessionVariable = "HEDDLE_SESSION";

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

enum class OutcomeKind : std::uint32_t {
  Running = 0,  // the program was ended from outside before it could say anything
  Ok, Assert, Abort, Signal, Exit, Deadlock, LostWakeup, Livelock, Timeout, Misuse, UseAfterFree, Predicate,
  Diverged,      // replay: not an outcome of the program, see Divergence
  Uncontrolled,  // a primitive that cannot be controlled; `message` names it
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
  kForkServer = 1u << 7,       // stop before main and make a copy of the process for every run that is asked for
  kObserve = 1u << 8,          // keep SessionProgress::state and the pairs of sites that met
  kDiscardRing = 1u << 9,      // nobody reads the ring
  kRecordBlocks = 1u << 10,    // HEDDLE_HOOKS=branches: every block that a thread comes to
  kIgnoreFreed = 1u << 11,     // the use of freed memory ends nothing: what comes of it is wanted
};

// One thread keeps the turn for `points` scheduling points; at a preemption the point at which it is stopped is the last
// of them. `check` is the low half of the event hash at that moment.
struct ReplayRun {
  std::uint32_t thread;  // index into the descents
  std::uint32_t points;
  std::uint32_t check;
  std::uint32_t forced;  // 1: after these points the thread blocked or ended; it must not be stopped at the last one
};

// One switch of a replay by site.
struct SiteSwitch {
  std::uint32_t from;  // index into the descents
  std::uint32_t to;
  EventKind kind;          // what `from` was about to do
  std::uint8_t preemption; // 0: `from` had to stop here (blocked or ended)
  std::uint16_t reserved;
  std::uint32_t occurrence;    // 1: the first time `from` comes here
  std::uint32_t names_begin;   // candidates for the site, into the site names; none: counted by kind
  std::uint32_t names_count;
  // What has no site, or none any more, is found from the thread's last access before it: it is the `after_same`-th
  // operation of its kind since then, and at the latest right before the next access.
  std::uint32_t after_begin = 0;  // candidates for that access; none: not known
  std::uint32_t after_count = 0;
  std::uint32_t after_occurrence = 0;
  std::uint32_t after_same = 0;
};

// One choice of a systematic search that is not the default one.
struct Deviation {
  std::uint64_t step;
  std::uint32_t nth;     // 0: the first choice that is made at this step
  std::uint32_t thread;  // ThreadId
};

// A thread and a loop, and the iterations of it that the thread leaves out, from 1; both ends included.
struct DisabledIterations {
  std::uint64_t key;
  std::uint32_t first, last;
};
constexpr std::uint64_t iteration_key(std::uint64_t descent, std::uint64_t loop) {
  return descent * 0x9e3779b97f4a7c15u + loop;
}

// A choice with more than one answer, as a systematic search logs it; `count` PendingRecords follow.
struct DecisionRecord {
  std::uint64_t step;
  std::uint64_t state;  // SessionProgress::state before the choice: equal for equivalent pasts
  std::uint32_t nth;    // as in Deviation
  std::uint32_t current;
  std::uint32_t chosen;
  std::uint16_t count;
  std::uint8_t question;  // schedule::Question
  std::uint8_t current_runnable;
};

struct PendingRecord {
  std::uint32_t thread;
  std::uint32_t site;
  std::uint64_t object;  // number in order of first use
  EventKind kind;
  std::uint8_t reserved[7];
};

// One of the schedules of a test that is repeated inside the process, and what came of it.
struct RepeatPlan {
  StrategyKind strategy;
  std::uint32_t depth;
  std::uint64_t seed, quantum, length;
};
struct RepeatResult {
  std::uint64_t state;
  std::uint64_t steps;  // of the process, at its end
};

// The log of a systematic search: words at `log_offset`. A log that is full is `overflown`, and the search not complete.
struct DecisionLog {
  std::uint64_t words;  // written
  std::uint64_t overflown;
};

struct SessionConfig {
  EngineKind engine;
  StrategyKind strategy;
  std::uint64_t seed;
  std::uint64_t quantum;     // see StrategyKind
  std::uint64_t steps_max;   // livelock beyond; 0: no bound
  std::uint64_t fair_points; // a thread gives the turn up after so many points while others could run; 0: default
  std::uint32_t flags;
  ArmMode arm_mode;
  std::uint32_t processors;  // what the program is told
  std::uint32_t depth;       // Pct
  std::uint64_t length;      // steps that a run is expected to have, from main on: Pct
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

  // A copy of the process is left for the host to read. With a descent (HEDDLE_HOOKS=branches): when its thread comes to its
  // `freeze_at`-th block; without: at the run's `freeze_at`-th scheduling point. 0: never.
  std::uint64_t freeze_descent, freeze_at;
};

inline constexpr std::uint32_t kFramesMax = 32;
inline constexpr std::uint32_t kReportedThreadsMax = 64;
inline constexpr std::uint32_t kModulesMax = 512;
inline constexpr std::uint32_t kRunnableShownMax = 64;

struct StackFrames {
  std::uint32_t count;
  std::uint32_t reserved;
  std::uint64_t pc[kFramesMax];  // absolute, innermost first; return addresses except the first of a fault
};

// A thread at the end of a failing run: what it waits for, and who has that.
struct ThreadReport {
  std::uint32_t thread;
  EventKind waits_for;  // Lock, Wait, Join ...; 0 when it could run
  std::uint8_t reserved[3];
  std::uint64_t object;  // address
  std::uint32_t object_number;
  std::uint32_t holder;  // ThreadId that holds `object`, or kNoThread
  char name[16];         // pthread_setname_np
  StackFrames stack;
};

struct ModuleReport {
  std::uint64_t begin, end;     // addresses
  std::uint64_t bias;           // address minus address in the file
  std::uint32_t first_site;     // SiteId of its first row; 0: not instrumented
  std::uint32_t site_count;
  std::uint8_t build_id[20];
  std::uint32_t build_id_size;
  char path[416];
};

struct Divergence {
  std::uint32_t happened;
  std::uint32_t expected_thread;  // index into the descents
  std::uint64_t step;
  std::uint64_t run;  // index of the run (or switch) that could not be done
  std::uint32_t runnable_count;
  std::uint32_t runnable[kRunnableShownMax];  // ThreadIds
  char what[200];
};

struct SessionResult {
  OutcomeKind outcome;
  std::int32_t exit_code;
  std::int32_t signal;
  std::uint32_t thread;  // where it failed
  std::uint64_t fault_address;
  char message[1024];    // assertion text, name of the primitive ...
  StackFrames stack;
  std::uint32_t report_count;
  std::uint32_t module_count;
  ThreadReport reports[kReportedThreadsMax];
  ModuleReport modules[kModulesMax];
  Divergence divergence;
  std::uint32_t switches_met, switches_total;  // replay by site: preemptions only; Guided: runs
  std::uint32_t finished;                      // 1: the runtime ended the run in order
  std::uint32_t reserved;
};

// What changes all the time. Each on its own line so that the host's polling costs the program little.
struct alignas(64) SessionProgress {
  std::uint64_t steps;       // scheduling points so far: every access at an armed site, every synchronisation
  std::uint64_t event_hash;
  std::uint64_t switches;
  std::uint64_t preemptions;
  std::uint32_t threads;     // created, main counts
  std::uint32_t current;
  std::uint64_t virtual_ns;
  std::uint64_t state;  // of the happens-before class of the run so far: equal for equivalent orders (kObserve)
  std::uint64_t iterations_left_out;  // how often a thread came to one
};

// Ordered pairs of sites whose accesses conflicted and met, across threads: `from << 32 | to`, 0 is free. Open addressing
// at `pairs_offset`; kept from run to run.
struct PairTable {
  std::uint64_t count;
  std::uint64_t dropped;  // there was no room
};

// The conversation with a fork server, and with the checkpoints that its runs leave behind. Each of those processes waits
// at a slot of its own; 0 is the server. All are children of the host.
inline constexpr std::uint32_t kCheckpointsMax = 64;
struct alignas(64) ServerSlot {
  std::atomic<std::uint32_t> command;  // bumped by the host: make a run of what the configuration says now
  std::atomic<std::uint32_t> ready;    // 1: a process waits here
  std::uint32_t retire;                // with `command`: end instead
  std::int32_t process;                // who waits here
  std::uint64_t step;                  // where it stands
};
struct ServerControl {
  std::atomic<std::uint32_t> started;  // bumped by the copy when it begins its run
  std::int32_t process;                // that copy
  // Steps at which the next run shall leave a checkpoint behind, ascending, and at which slot each; refused ones (open
  // pipes, children ...) do not become ready.
  std::uint32_t checkpoint_count;
  std::uint32_t checkpoint_slots[kCheckpointsMax];
  std::uint64_t checkpoint_steps[kCheckpointsMax];
  ServerSlot slots[kCheckpointsMax];
};

struct alignas(64) Ring {
  std::atomic<std::uint64_t> written;    // words; monotonic, by the program. True once it stands still or is gone
  std::atomic<std::uint64_t> published;  // how far the host may read while the program runs
  alignas(64) std::atomic<std::uint64_t> read;  // words; monotonic, by the host
  std::atomic<std::uint32_t> space_sequence;    // bumped and woken by the host when `read` moved
  std::atomic<std::uint32_t> data_sequence;     // bumped and woken by the program at each piece of the ring
};

struct Session {
  std::uint64_t magic;
  std::uint32_t version;
  std::uint32_t attached;  // the runtime sets it to 1 when it has taken control; 0: the program is not linked with it
  SessionConfig config;
  SessionProgress progress;
  Ring ring;
  DecisionLog log;
  std::uint64_t repeat_iteration;  // the one that runs
  std::atomic<std::uint32_t> listening;  // 1: the program waits for connections from outside ...
  std::uint32_t listening_port;          // ... here; 0: not on a port
  PairTable pairs;
  GraphTable graph;
  ServerControl server;
  SessionResult result;
};

// A ring record is two words, or three when kHasValue is set:
//   head = kind | flags << 8 | size << 16 | site << 32,  object,  [value]
// The thread is that of the last Switch (main before the first).
//   Switch: site = points of the run that ends; object = next thread | check << 32;
//           value = SiteId | kind << 32 of what the old thread was about to do. kPreemption: it could have gone on.
//   Occurrence (after a Switch, kAnnotate only): site = SiteId, object = occurrence; then a Frame record per frame, and,
//           unless the thread has made no access yet, one with kAfter: its last access and that one's occurrence,
//           value = how many operations of this kind it has come to since.
//   Module: object = index into SessionResult::modules, when one is loaded.
//   CallSite: site = a number from kFirstCallSite on, which later events carry; object = return address. One for each
//           frame of the program's own code, innermost first, before the first event that carries the number.
//   Branch (kRecordBlocks): site = point; object = row of the function (abi/blocks.h); value = base of the frame.
//   Frozen: object = process number of a copy that stands still; value = its format::FrozenThreads.
//   Pad: fills the ring's end; ignore both words (and one-word rests: see kPadWord).
// A record never straddles the end of the ring: the writer pads to it.
//   kPoint, on everything but accesses, each of which is one: the event is the outcome of a scheduling point. With Passed,
//   for points that came to nothing else, this tells how many points each thread has made before any event.
enum RingFlag : std::uint8_t { kHasValue = 1, kPreemption = 2, kFailed = 4, kAfter = 8, kPoint = 16 };
inline constexpr EventKind kOccurrence{98};
inline constexpr EventKind kFrame{99};
inline constexpr EventKind kModule{100};
inline constexpr EventKind kCallSite{101};
inline constexpr EventKind kFrozen{102};
inline constexpr std::uint64_t kRecordWordsMax = 3;  // of one record
// The program wakes the host after each of so many pieces, and the host gives back each as soon as it is read.
inline constexpr std::uint64_t kPiecesOfRing = 8;
inline constexpr std::uint64_t kPadWord = 0xff;  // one word of padding; repeat until the end of the ring

constexpr std::uint64_t ring_head(EventKind kind, std::uint8_t flags, std::uint16_t size, std::uint32_t site) {
  return static_cast<std::uint64_t>(kind) | static_cast<std::uint64_t>(flags) << 8 |
         static_cast<std::uint64_t>(size) << 16 | static_cast<std::uint64_t>(site) << 32;
}

}  // namespace heddle::format
