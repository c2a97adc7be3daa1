#include "explain/classify.h"

#include <iterator>

namespace heddle::explain {
namespace {

using format::OutcomeKind;

bool overlap(const DecidingPair& a, const DecidingPair& b) { return a.begin < b.end && b.begin < a.end; }

bool is_race(const DecidingPair& pair) { return !pair.common_lock && !pair.atomic && !pair.frees && !pair.waiting; }

// One statement, or the update of one value, is a single step for its author: the unprotected access itself is wrong.
// Otherwise the program reads a value and later reads or uses it again, and the two must be atomic.
CauseKind of_one_variable(const Findings& findings) {
  const DecidingPair &opened = *findings.opened, &closed = *findings.closed;
  if (!is_race(opened) || !is_race(closed)) return CauseKind::Atomicity;
  return findings.one_statement || findings.lost_update ? CauseKind::DataRace : CauseKind::Atomicity;
}

CauseKind of_two_variables(const Findings& findings) {
  const DecidingPair &opened = *findings.opened, &closed = *findings.closed;
  if (!is_race(closed)) return CauseKind::MultiVariable;
  if (opened.common_lock) {
    // The thread claims something under a lock, and an intruder revokes it before its use: both belong together.
    if (opened.handed_over && findings.undone) return CauseKind::Atomicity;
    // Data is handed over correctly, but before it is complete. Otherwise the first pair is protected, the second not.
    return opened.handed_over ? CauseKind::Order : CauseKind::DataRace;
  }
  if (!is_race(opened)) return CauseKind::MultiVariable;
  // Parts of one copied object, or data that no thread protects.
  const bool is_unprotected = !opened.locked && !closed.locked;
  return is_unprotected || findings.one_statement || findings.intruder_one_statement ? CauseKind::DataRace
                                                                                     : CauseKind::MultiVariable;
}

}  // namespace

const char* cause_kind_word(CauseKind kind) {
  constexpr const char* kWords[] = {"unknown", "data_race", "atomicity",   "multi_variable",
                                    "order",   "deadlock",  "lost_wakeup", "use_after_free"};
  static_assert(std::size(kWords) == static_cast<std::size_t>(CauseKind::UseAfterFree) + 1);
  return kWords[static_cast<std::size_t>(kind)];
}

bool only_closed_matters(const Findings& findings) {
  const CauseKind kind = classify(findings);
  if (!findings.opened || !findings.closed || overlap(*findings.opened, *findings.closed)) return false;
  return kind == CauseKind::Order || (kind == CauseKind::DataRace && findings.opened->common_lock);
}

CauseKind classify(const Findings& findings) {
  if (findings.outcome == OutcomeKind::Deadlock) return CauseKind::Deadlock;
  const bool waits_forever = findings.outcome == OutcomeKind::LostWakeup;
  if (!findings.closed) return waits_forever ? CauseKind::LostWakeup : CauseKind::Unknown;
  // If a data race corrupts the waited-for state, no thread ever sends the wake-up, so none is lost.
  if (waits_forever) {
    const bool counter_is_wrong = findings.opened && is_race(*findings.opened) && is_race(*findings.closed);
    return counter_is_wrong ? CauseKind::DataRace : CauseKind::LostWakeup;
  }
  // The stopped thread had not begun its work, so nothing enforces the order.
  if (!findings.opened) return CauseKind::Order;
  if (findings.closed->frees) return CauseKind::UseAfterFree;
  // A condition variable does not count as a second variable: it belongs to the waited-for state.
  const bool one_variable =
      overlap(*findings.opened, *findings.closed) || findings.opened->waiting || findings.closed->waiting;
  const CauseKind kind = one_variable ? of_one_variable(findings) : of_two_variables(findings);
  // A stale read explains more than the use of freed memory to which it leads.
  const bool is_stale = kind == CauseKind::Atomicity && findings.stale;
  return findings.outcome == OutcomeKind::UseAfterFree && !is_stale ? CauseKind::UseAfterFree : kind;
}

}  // namespace heddle::explain
