#pragma once
#include <string>

#include "run/process/launcher.h"
#include "run/verdict/outcome.h"
#include "support/result.h"

namespace heddle::run {

// How an execution ended: what the runtime and the wait status say, then the driver, the watchdog and --fails-if. Every
// caller of launch() decides with this, so that all verbs agree on the outcome of a run. Leaves the signature empty.
Result<Outcome> judge(const Execution& execution, const RunOptions& options);

// The last step of judge(): turns the outcome of a run that ended by itself into Predicate if --fails-if holds.
Status apply_predicate(const RunOptions& options, int captured_stdout, int captured_stderr, Outcome& outcome);

// Passes on what was captured for the predicate.
void forward_captured_output(const Execution& execution, Output output);

}  // namespace heddle::run
