#include "explain/classify.h"

namespace heddle::explain {
namespace {

using format::OutcomeKind;

bool overlap(const DecidingPair& a, const DecidingPair& b) { return a.begin < b.end && b.begin < a.end; }

bool is_race(const DecidingPair& pair) { return !pair.common_lock && !pair.atomic && !pair.frees && !pair.waiting; }

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

CauseKind classify(const Findings& findings) {
  if (findings.outcome == OutcomeKind::Deadlock) return CauseKind::Deadlock;
  const bool waits_forever = findings.outcome == OutcomeKind::LostWakeup;
  if (!findings.closed) return waits_forever ? CauseKind::LostWakeup : CauseKind::Unknown;
  const DecidingPair& closed = *findings.closed;
  // A wake-up that is lost because a counter was wrong is not lost: nobody was ever going to send it.
  if (waits_forever) {
    const bool counter_is_wrong = findings.opened && is_race(*findings.opened) && is_race(closed);
    return counter_is_wrong ? CauseKind::DataRace : CauseKind::LostWakeup;
  }
  if (closed.frees) return CauseKind::UseAfterFree;
  if (!findings.opened) return CauseKind::Order;
  const DecidingPair& opened = *findings.opened;
  if (!overlap(opened, closed)) {
    // Handed over as it should be, but before it was complete.
    const bool published = opened.common_lock && is_race(closed);
    return published ? CauseKind::Order : CauseKind::MultiVariable;
  }
  // Within one statement, or when a value is updated, nobody has meant to make two steps: it is the unprotected access
  // itself that is wrong.
  const bool one_step = findings.one_statement || findings.lost_update;
  return one_step && is_race(opened) && is_race(closed) ? CauseKind::DataRace : CauseKind::Atomicity;
}

}  // namespace heddle::explain
