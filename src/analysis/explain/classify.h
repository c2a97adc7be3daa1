#pragma once
#include <cstdint>
#include <optional>

#include "explain/explanation.h"
#include "format/run_result.h"

namespace heddle::explain {

// Two conflicting accesses, one of the stopped thread and one of an intruder, whose order decides whether the program
// fails.
struct DecidingPair {
  std::uint64_t begin = 0, end = 0;  // common bytes
  bool common_lock = false;
  bool atomic = false;       // at least one access is atomic
  bool frees = false;        // one access frees or destroys the object of the other
  bool waiting = false;      // a wait and a wake-up
  bool locked = false;       // at least one thread holds a lock
  bool handed_over = false;  // the later access reads the value that the earlier one wrote
};

// Results of the experiments, from which the kind of the cause follows.
struct Findings {
  format::OutcomeKind outcome = format::OutcomeKind::Ok;
  std::optional<DecidingPair> opened;   // the stopped thread's access comes first; nullopt: its progress is irrelevant
  std::optional<DecidingPair> closed;   // the intruder's access comes first
  bool one_statement = false;           // the stopped thread's two accesses belong to one execution of a statement
  bool lost_update = false;             // they are a read and the write of the updated value
  bool stale = false;                   // the first one is a read: the thread continues with an old value
  bool undone = false;                  // the first one is a write, which an intruder overwrites
  bool intruder_one_statement = false;  // the intruder's two accesses are on one source line
};

CauseKind classify(const Findings& findings);
// True if `closed` alone is the cause, and the other pair only led the threads there.
bool only_closed_matters(const Findings& findings);

}  // namespace heddle::explain
