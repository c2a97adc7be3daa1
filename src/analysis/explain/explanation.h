#pragma once
// Why a clip fails, for people: values only, nothing to look up.
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "clip/clip.h"
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

struct Cause {
  CauseKind kind = CauseKind::Unknown;
  std::string text;  // a paragraph
  std::vector<CauseAccess> accesses;
  // The accesses in the order in which the program fails, and in one in which it does not: indexes into `accesses`.
  std::vector<std::size_t> failing_order, passing_order;
};

enum class StepKind : std::uint8_t { Event, Switch, Fold, Failure };

struct Step {
  StepKind kind = StepKind::Event;
  std::size_t thread = 0;  // index into Explanation::threads
  std::string action;      // event word; for a switch the reason, for a failure the message
  std::string variable;
  std::string value;
  SourceLocation place;
  bool in_cause = false;
  std::optional<bool> relevant;    // events: the failure depends on it; nullopt: not known
  bool preemption = false;         // switches
  std::size_t to = 0;              // switches: who goes on
  std::size_t left_out = 0;        // folds: how many events
  std::vector<std::string> holds;  // locks of the thread afterwards
};

struct ThreadInfo {
  std::string thread;  // descent name
  std::string name;    // pthread_setname_np; may be empty
  SourceLocation begins;        // first known place
  std::string at_end;  // what it was doing when the run ended
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
  bool lacks_types = false;  // the program's debug information tells of lines alone
  std::vector<std::string> problems;
};

}  // namespace heddle::explain
