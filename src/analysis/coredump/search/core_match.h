#pragma once
#include "coredump/index/failing_core.h"
#include "coredump/search/rerun.h"

namespace heddle::coredump {

// How a failure of a run matches the failure of the core.
enum class Match : std::uint8_t {
  No,
  FreedUse,     // the same functions use freed memory, whose content in the core's run is unknown
  Consequence,  // freed memory is used, and the consequence is the failure of the core
  Signature,    // the same kind, and the same innermost lines of the program's own code
};

// Compares the outcome of a run with this schedule. A native run does not notice that it uses freed memory, and fails
// later by the consequence; so after such an outcome the schedule is run again without the check.
Match match_core(const CoreFacts& core, Reruns& reruns, const run::Outcome& outcome,
                 const experiment::Schedule& schedule);

}  // namespace heddle::coredump
