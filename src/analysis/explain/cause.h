#pragma once
// From what the experiments have shown to a cause that can be told.
#include <optional>
#include <set>
#include <vector>

#include "explain/explanation.h"
#include "explain/trials/pattern.h"
#include "explain/names/source_locations.h"

namespace heddle::explain {

struct CauseDraft {
  Cause cause;
  std::set<std::size_t> events;            // of the failing recording
  std::vector<MemoryEffect> locations;  // that it is about
  // The stopped thread goes on with what it had read before: nearer to the mistake than what others saw of its work.
  bool stale = false;
};

// The program fails because of this order of events.
CauseDraft describe_pattern(const Pattern& pattern, const Observed& failing, Laboratory& laboratory);
// Threads that wait for each other, from how they stood at the end.
CauseDraft tell_deadlock(const Observed& failing, Laboratory& laboratory);

}  // namespace heddle::explain
