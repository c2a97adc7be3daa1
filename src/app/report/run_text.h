#pragma once
#include <string>
#include <vector>

#include "run/record/run_report.h"
#include "run/replay/replayer.h"

namespace heddle::report {

// The outcome for the user: headline, message, stack; for deadlocks and lost wake-ups also the lines at which the
// threads wait, and the holders. The last line has the figures of the run.
std::string run_text(const run::RunReport& report);

// Names the libraries that are not instrumented, and the consequence; empty: none.
std::string uninstrumented_text(const run::RunReport& report);

std::string replay_text(const run::ReplayReport& report);

std::string stack_text(const std::vector<binary::SourceFrame>& stack, const std::string& indent);

// "expected thread 0.1, runnable: 0.2, 0.3".
std::string divergence_text(const run::DivergenceReport& divergence);

// The words as a shell command, quoted where necessary.
std::string command_text(const std::vector<std::string>& words);

}  // namespace heddle::report
