#include "explain/classify.h"

namespace heddle::explain {
namespace {

using format::OutcomeKind;

bool overlap(const DecidingPair& a, const DecidingPair& b) { return a.begin < b.end && b.begin < a.end; }

bool is_race(const DecidingPair& pair) { return !pair.common_lock && !pair.atomic && !pair.frees && !pair.waiting; }

// Within one statement, or when a value is updated, nobody has meant to make two steps: it is the unprotected access
// itself that is wrong. What was looked at and is looked at again, or used, belongs together.
CauseKind of_one_variable(const Findings& findings) {
  const DecidingPair &opened = *findings.opened, &closed = *findings.closed;
  if (!is_race(opened) || !is_race(closed)) return CauseKind::Atomicity;
  return findings.one_statement || findings.lost_update ? CauseKind::DataRace : CauseKind::Atomicity;
}

CauseKind of_two_variables(const Findings& findings) {
  const DecidingPair &opened = *findings.opened, &closed = *findings.closed;
  if (!is_race(closed)) return CauseKind::MultiVariable;
  if (opened.common_lock) {
    // What was claimed under a lock is taken back before it was made use of: claim and use belong together.
    if (opened.handed_over && findings.undone) return CauseKind::Atomicity;
    // Handed over as it should be, but before it was complete; or two meetings under a lock, and then one without.
    return opened.handed_over ? CauseKind::Order : CauseKind::DataRace;
  }
  if (!is_race(opened)) return CauseKind::MultiVariable;
  // Parts of what one statement copies, or what nobody has ever thought to protect.
  const bool nobody_locks = !opened.locked && !closed.locked;
  return nobody_locks || findings.one_statement || findings.intruder_one_statement ? CauseKind::DataRace
                                                                                   : CauseKind::MultiVariable;
}

}  // namespace

const char* cause_kind_word(CauseKind kind) {
  switch (kind) {
    case CauseKind::Unknown:
      return "unknown";
    case CauseKind::DataRace:
      return "data_race";
    case CauseKind::Atomicity:
      return "atomicity";
    case CauseKind::MultiVariable:
      return "multi_variable";
    case CauseKind::Order:
      return "order";
    case CauseKind::Deadlock:
      return "deadlock";
    case CauseKind::LostWakeup:
      return "lost_wakeup";
    case CauseKind::UseAfterFree:
      return "use_after_free";
  }
  return "unknown";
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
  // A wake-up that is lost because a counter was wrong is not lost: nobody was ever going to send it.
  if (waits_forever) {
    const bool counter_is_wrong = findings.opened && is_race(*findings.opened) && is_race(*findings.closed);
    return counter_is_wrong ? CauseKind::DataRace : CauseKind::LostWakeup;
  }
  // Destroyed before somebody even began to use it: it is the order that nothing keeps.
  if (!findings.opened) return CauseKind::Order;
  if (findings.closed->frees) return CauseKind::UseAfterFree;
  // A condition variable is no variable of its own: it belongs to what is waited for.
  const bool one_variable =
      overlap(*findings.opened, *findings.closed) || findings.opened->waiting || findings.closed->waiting;
  const CauseKind kind = one_variable ? of_one_variable(findings) : of_two_variables(findings);
  // What was looked at twice, and was different the second time, says more than that memory was freed because of it.
  const bool looked_twice = kind == CauseKind::Atomicity && findings.stale;
  return findings.outcome == OutcomeKind::UseAfterFree && !looked_twice ? CauseKind::UseAfterFree : kind;
}

}  // namespace heddle::explain
