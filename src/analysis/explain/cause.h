#pragma once
#include <set>
#include <vector>

#include "explain/explanation.h"
#include "explain/trials/pattern.h"

namespace heddle::explain {

// A cause, and what the timeline and the comparison of causes need besides.
struct CauseDraft {
  Cause cause;
  std::set<std::size_t> events;         // the accesses of the cause in the failing recording
  std::vector<MemoryEffect> locations;  // memory of the deciding accesses
  // The stopped thread continues with a stale value. Such a cause is closer to the mistake than one in which other
  // threads see unfinished work.
  bool stale = false;
};

// Describes the deciding accesses of a pattern and classifies it.
CauseDraft describe_pattern(const Pattern& pattern, const Observed& failing, TrialOracle& oracle);
// Describes the cycle of waiting threads, or all waiting threads if there is no cycle.
CauseDraft describe_deadlock(const Observed& failing, TrialOracle& oracle);

}  // namespace heddle::explain
