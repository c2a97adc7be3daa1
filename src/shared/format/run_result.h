#pragma once
// The result of a run, as the runtime reports it, and its progress while it runs.
#include <cstdint>

#include "format/event.h"

namespace heddle::format {

enum class OutcomeKind : std::uint32_t {
  Running = 0,  // no result: the program runs, or was killed from outside
  Ok,
  Assert,
  Abort,
  Signal,
  Exit,
  Deadlock,
  LostWakeup,
  Livelock,
  Timeout,
  Misuse,
  UseAfterFree,
  Predicate,
  Diverged,      // a replay differs from its recording: see Divergence
  Uncontrolled,  // the program uses a primitive that cannot be controlled; `message` names it
};

inline constexpr std::uint32_t kFramesMax = 32;
inline constexpr std::uint32_t kReportedThreadsMax = 64;
inline constexpr std::uint32_t kModulesMax = 512;
inline constexpr std::uint32_t kRunnableShownMax = 64;
inline constexpr std::uint32_t kEarlyTimeoutsMax = 8;

struct StackFrames {
  std::uint32_t count;
  std::uint32_t reserved;
  std::uint64_t pc[kFramesMax];  // absolute, innermost first; return addresses, except the first one after a fault
};

// A thread at the end of a failing run, the object that it waits for, and the holder of that object.
struct ThreadReport {
  std::uint32_t thread;
  EventKind waits_for;  // Lock, Wait, Join ...; 0: it is runnable
  std::uint8_t reserved[3];
  std::uint64_t object;  // address
  std::uint32_t object_number;
  std::uint32_t holder;  // ThreadId or kNoThread
  char name[16];         // pthread_setname_np
  StackFrames stack;
};

struct ModuleReport {
  std::uint64_t begin, end;  // addresses
  std::uint64_t bias;        // address minus address in the file
  std::uint32_t first_site;  // SiteId of its first row; 0: not instrumented
  std::uint32_t site_count;
  std::uint8_t build_id[20];
  std::uint32_t build_id_size;
  char path[416];
};

struct Divergence {
  std::uint32_t happened;
  std::uint32_t expected_thread;  // index into the descents
  std::uint64_t step;
  std::uint64_t run;  // index of the run in which the replay diverged
  std::uint32_t runnable_count;
  std::uint32_t runnable[kRunnableShownMax];  // ThreadIds
  char what[200];
};

// A time-out that fired although another thread could run.
struct EarlyTimeout {
  std::uint32_t thread;
  std::uint32_t reserved;
  std::uint64_t ns;   // from the beginning of the wait to the deadline
  StackFrames stack;  // of the wait
};

struct TimeoutCount {
  std::uint64_t count;
  std::uint64_t longest_ns;
};

struct SessionResult {
  OutcomeKind outcome;
  std::int32_t exit_code;
  std::int32_t signal;
  std::uint32_t thread;  // the thread that failed
  std::uint64_t fault_address;
  char message[1024];  // text of the assertion, name of the primitive ...
  StackFrames stack;
  std::uint32_t report_count;
  std::uint32_t module_count;
  ThreadReport reports[kReportedThreadsMax];
  ModuleReport modules[kModulesMax];
  Divergence divergence;
  std::uint32_t switches_met, switches_total;  // replay by site: preemptions only; Guided: runs
  std::uint32_t finished;                      // 1: the runtime has written the whole result
  std::uint32_t reserved;
  // Time-outs that fired although another thread could run; and those that could not, because of the session's limit.
  TimeoutCount early_timeouts;
  TimeoutCount late_timeouts;
  std::uint32_t early_described;  // of `early`; not in the runs of a fork server
  std::uint32_t reserved_after;
  EarlyTimeout early[kEarlyTimeoutsMax];
};

// The counters of a run, on cache lines of their own, so that polling by the host costs the program little.
struct alignas(64) SessionProgress {
  std::uint64_t steps;  // scheduling points so far: every access at an armed site, every synchronisation
  std::uint64_t event_hash;
  std::uint64_t switches;
  std::uint64_t preemptions;
  std::uint32_t threads;  // created so far, including main
  std::uint32_t current;
  std::uint64_t virtual_ns;
  std::uint64_t state;  // of the happens-before class of the run so far: equal for equivalent orders (kObserve)
  std::uint64_t iterations_left_out;  // number of skipped iterations
};

// Ordered pairs of sites with consecutive, conflicting accesses by two threads: `from << 32 | to`; 0 is a free slot. An
// open-addressed table at `pairs_offset`, kept from run to run.
struct PairTable {
  std::uint64_t count;
  std::uint64_t dropped;  // pairs lost because the table was full
};

}  // namespace heddle::format
