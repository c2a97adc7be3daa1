#pragma once
#include <string>

#include "run/launcher.h"
#include "run/outcome.h"
#include "support/result.h"

namespace heddle::run {

// Asks the user's command whether a run that ended by itself has failed: it finds the program's stdout on its stdin,
// the stderr in the file that HEDDLE_STDERR names, and HEDDLE_EXIT_STATUS as a shell would show it. It says yes by exit
// 0.
Result<bool> predicate_holds(const std::string& command, int captured_stdout, int captured_stderr,
                             const Outcome& outcome);

// Passes on what was captured for the predicate.
void forward_captured_output(const Execution& execution, Output output);

}  // namespace heddle::run
