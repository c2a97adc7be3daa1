#pragma once
// Why a clip fails: values only, nothing to look up. src/app/report/failure/ puts them into words.
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "clip/clip.h"
#include "format/event.h"
#include "run/verdict/outcome.h"

namespace heddle::explain {

enum class CauseKind : std::uint8_t {
  Unknown,  // no change of the schedule that was tried makes the failure disappear
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

// The failure needs that one thread has made `before` and not yet `after` while the intruders make their accesses.
struct CauseWindow {
  std::optional<CauseAccess> before;   // nullopt: it does not matter how far the thread had come
  std::vector<CauseAccess> intruders;  // one or two, in the order of the failing run
  CauseAccess after;
};

// A thread that waits when the run has ended.
struct WaitingThread {
  struct Holding {
    std::string lock;  // empty: unknown
    SourceLocation since;
  };
  CauseAccess access;                 // where it waits, and for what
  std::string holder;                 // deadlocks: the thread that has what it waits for; empty: unknown
  std::optional<Holding> holds;       // deadlocks: what the thread before it in the cycle waits for
  std::optional<CauseAccess> change;  // lost wake-ups: how another thread changed what this one had looked at
};

struct Cause {
  CauseKind kind = CauseKind::Unknown;
  std::optional<CauseWindow> window;   // nullopt: none was found, or the failure is a deadlock
  std::vector<WaitingThread> waiting;  // of a deadlock the cycle; of a lost wake-up whatever is known of it
  // What a reader looks at: the accesses of `waiting`, or else of `window`. The orders, in which the program fails and
  // in which it does not, are indexes into them.
  std::vector<CauseAccess> accesses;
  std::vector<std::size_t> failing_order, passing_order;
};

enum class StepKind : std::uint8_t { Event, Switch, Fold, Failure };

struct Step {
  StepKind kind = StepKind::Event;
  std::size_t thread = 0;              // index into Explanation::threads
  format::EventKind event{};           // of a switch: what the thread is about to do, or waits in; 0: not known
  std::string variable;                // events: name of the object; empty: unknown
  std::string other_thread;            // fork and join: descent name
  std::optional<std::uint64_t> value;  // accesses: what was read or written; of a range its bytes
  std::uint16_t size = 0;              // accesses: bytes
  SourceLocation place;                // of a preemption: where the thread was stopped
  bool in_cause = false;
  std::optional<bool> relevant;    // events: the failure depends on it; nullopt: not known
  bool preemption = false;         // switches
  std::size_t to = 0;              // switches: the thread that runs next
  std::size_t left_out = 0;        // folds: events that are not shown
  std::vector<std::string> holds;  // locks of the thread afterwards
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
  std::uint64_t relevant = 0;  // of them, that the failure depends on
};

struct Explanation {
  run::Outcome outcome;
  std::string program;
  std::string clip;  // path, as given
  Cause cause;
  std::vector<Step> steps;
  std::vector<ThreadInfo> threads;
  std::uint64_t events = 0;
  std::optional<SliceSize> slice;  // where the program tells how its values flow
  std::size_t preemptions_before = 0, preemptions_after = 0;
  std::uint32_t trials = 0;  // executions that it took
  double seconds = 0;
  bool repeatable = true;         // false: the schedule did not fail again, so that no experiment could be made
  bool simpler_schedule = false;  // it speaks of another schedule with the same failure and fewer preemptions
  bool lacks_types = false;       // the program's debug information has lines only
};

}  // namespace heddle::explain
