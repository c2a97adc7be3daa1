#pragma once
#include <cstdint>
#include <optional>

#include "explain/explanation.h"
#include "format/run_result.h"

namespace heddle::explain {

// Two accesses, one of the stopped thread and one of an intruder, whose order decides about the failure.
struct DecidingPair {
  std::uint64_t begin = 0, end = 0;  // bytes that both touch
  bool common_lock = false;
  bool atomic = false;       // at least one of them is
  bool frees = false;        // one of them frees or destroys what the other uses
  bool waiting = false;      // a wait and a wake-up
  bool locked = false;       // somebody holds a lock meanwhile, though not the same
  bool handed_over = false;  // the later one reads what the earlier one wrote
};

// What the experiments have shown.
struct Findings {
  format::OutcomeKind outcome = format::OutcomeKind::Ok;
  bool cycle = false;                   // threads wait for each other in a circle
  std::optional<DecidingPair> opened;   // the stopped thread's work had begun: this had to come before the intruder
  std::optional<DecidingPair> closed;   // ... and this after it
  bool one_statement = false;           // the stopped thread's two accesses are of one statement, made once
  bool lost_update = false;             // ... a read, and the write that puts back what was read
  bool stale = false;                   // ... the first of them reads: the thread goes on with what it had seen
  bool undone = false;                  // ... the first of them writes, and the intruder changes that
  bool intruder_one_statement = false;  // the intruder's two accesses are of one source line
};

CauseKind classify(const Findings& findings);
// Whether `closed` alone is what is wrong: the other pair only let the threads come so far.
bool only_closed_matters(const Findings& findings);

}  // namespace heddle::explain
