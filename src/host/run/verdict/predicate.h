#pragma once
#include <string>

#include "run/process/launcher.h"
#include "run/verdict/outcome.h"
#include "support/result.h"

namespace heddle::run {

// The outcome of an execution: from the runtime and the wait status, then the driver, the watchdog and --fails-if. Only
// this function and apply_predicate() judge runs, so that all verbs agree on an outcome. Leaves the signature empty.
Result<Outcome> judge(const Execution& execution, const RunOptions& options);

// The last step of judge(): turns the outcome of a run that ended by itself into Predicate if --fails-if holds.
Status apply_predicate(const RunOptions& options, int captured_stdout, int captured_stderr, Outcome& outcome);

// True if the --fails-if command of the last run was perhaps ended by a stop request.
bool is_predicate_stopped(const RunOptions& options);

// Prints the output that was captured for --fails-if.
void forward_captured_output(const Execution& execution, Output output);

}  // namespace heddle::run
