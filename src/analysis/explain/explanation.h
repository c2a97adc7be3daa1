#pragma once
// Why a clip fails, as plain values. src/app/report/failure/ makes text and JSON of them.
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "clip/clip.h"
#include "format/event.h"
#include "run/verdict/outcome.h"

namespace heddle::explain {

enum class CauseKind : std::uint8_t {
  Unknown,  // the program fails in every order that was tried
  DataRace,
  Atomicity,
  MultiVariable,
  Order,
  Deadlock,
  LostWakeup,
  UseAfterFree,
};
const char* cause_kind_word(CauseKind kind);

struct SourceLocation {
  std::string file;  // empty: unknown
  std::uint32_t line = 0;
  std::string function;  // for people
  bool operator==(const SourceLocation&) const = default;
};

struct CauseAccess {
  std::string thread;
  SourceLocation place;
  std::string access;    // read, write, update, free, lock, wait ...
  std::string variable;  // for people; empty: unknown
  std::vector<std::string> locks;
  bool operator==(const CauseAccess&) const = default;
};

// The program fails only if the intruders make their accesses between `before` and `after` of one thread.
struct CauseWindow {
  std::optional<CauseAccess> before;   // nullopt: the progress of the thread does not matter
  std::vector<CauseAccess> intruders;  // one or two, in the order of the failing run
  CauseAccess after;
};

// A thread that waits at the end of the run.
struct WaitingThread {
  struct Holding {
    std::string lock;  // empty: unknown
    SourceLocation since;
  };
  CauseAccess access;                 // the wait: its place and object
  std::string holder;                 // deadlocks: the thread that holds the awaited lock; empty: unknown
  std::optional<Holding> holds;       // deadlocks: the lock that the previous thread of the cycle waits for
  std::optional<CauseAccess> change;  // lost wake-ups: the write by another thread to data that this thread had read
};

struct Cause {
  CauseKind kind = CauseKind::Unknown;
  std::optional<CauseWindow> window;   // nullopt: none was found, or the failure is a deadlock
  std::vector<WaitingThread> waiting;  // the cycle of a deadlock, or the threads that miss the wake-up
  // The accesses of `waiting`, or else of `window`; and the orders of them, as indexes, in which the program fails and
  // passes.
  std::vector<CauseAccess> accesses;
  std::vector<std::size_t> failing_order, passing_order;
};

enum class StepKind : std::uint8_t { Event, Switch, Fold, Failure };

struct Step {
  StepKind kind = StepKind::Event;
  std::size_t thread = 0;              // index into Explanation::threads
  format::EventKind event{};           // switches: the next or blocking operation of the thread; 0: unknown
  std::string variable;                // events: name of the object; empty: unknown
  std::string other_thread;            // fork and join: descent name
  std::optional<std::uint64_t> value;  // accesses: the value read or written; ranges: the number of bytes
  std::uint16_t size = 0;              // accesses: bytes
  SourceLocation place;                // preemptions: the next operation of the preempted thread
  bool in_cause = false;
  std::optional<bool> relevant;    // events: the failure depends on it; nullopt: unknown
  bool preemption = false;         // switches
  std::size_t to = 0;              // switches: the thread that runs next
  std::size_t left_out = 0;        // folds: events that are not shown
  std::vector<std::string> holds;  // locks of the thread after the step
};

enum class ThreadEnd : std::uint8_t { Ended, CouldRun, Waits, Failed };

struct ThreadInfo {
  std::string thread;     // descent name
  std::string name;       // pthread_setname_np; may be empty
  SourceLocation begins;  // first known place
  ThreadEnd at_end = ThreadEnd::Ended;
  std::string waits_for;                   // event word, when it waits at the end
  std::vector<std::string> held_at_start;  // of the window that is shown
};

struct SliceSize {
  std::uint64_t events = 0;    // accesses and synchronisation
  std::uint64_t relevant = 0;  // events that the failure depends on
};

struct Explanation {
  run::Outcome outcome;
  std::string program;
  std::string clip;  // path, as given
  Cause cause;
  std::vector<Step> steps;
  std::vector<ThreadInfo> threads;
  std::uint64_t events = 0;
  std::optional<SliceSize> slice;  // if the program records the flow of its values
  std::size_t preemptions_before = 0, preemptions_after = 0;
  std::uint32_t trials = 0;  // executions of the program
  double seconds = 0;
  bool repeatable = true;         // false: the schedule did not fail again, so experiments are impossible
  bool simpler_schedule = false;  // explains another schedule with the same failure and fewer preemptions
  bool lacks_types = false;       // the program's debug information has lines only
};

}  // namespace heddle::explain
