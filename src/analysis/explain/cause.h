#pragma once
// From what the experiments have shown to the cause.
#include <set>
#include <vector>

#include "explain/explanation.h"
#include "explain/trials/pattern.h"

namespace heddle::explain {

struct CauseDraft {
  Cause cause;
  std::set<std::size_t> events;         // of the failing recording
  std::vector<MemoryEffect> locations;  // that it is about
  // The stopped thread continues with what it had read before: nearer to the mistake than what others saw of its work.
  bool stale = false;
};

// The program fails because of this order of events.
CauseDraft describe_pattern(const Pattern& pattern, const Observed& failing, TrialOracle& oracle);
// Threads that wait for each other, from their states at the end.
CauseDraft describe_deadlock(const Observed& failing, TrialOracle& oracle);

}  // namespace heddle::explain
