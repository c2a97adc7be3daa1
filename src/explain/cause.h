#pragma once
// From what the experiments have shown to a cause that can be told.
#include <optional>
#include <set>
#include <vector>

#include "explain/explanation.h"
#include "explain/pattern.h"
#include "explain/places.h"

namespace heddle::explain {

struct ToldCause {
  Cause cause;
  std::set<std::size_t> events;            // of the failing recording
  std::vector<Touch> locations;  // that it is about
  // The stopped thread goes on with what it had read before: nearer to the mistake than what others saw of its work.
  bool stale = false;
};

// The program fails because of this order of events.
ToldCause tell_pattern(const Pattern& pattern, const Observed& failing, Laboratory& laboratory);
// Threads that wait for each other, from how they stood at the end.
ToldCause tell_deadlock(const Observed& failing, Laboratory& laboratory);

}  // namespace heddle::explain
