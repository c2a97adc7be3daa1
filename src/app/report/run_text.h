#pragma once
#include <string>
#include <vector>

#include "run/record/run_report.h"
#include "run/replay/replayer.h"

namespace heddle::report {

// What happened, for a person: outcome, message, stack; for deadlocks who holds what and waits for what at which lines.
// Ends with a line of figures.
std::string run_text(const run::RunReport& report);

// The libraries that are not instrumented and what that means; empty when there are none.
std::string uninstrumented_text(const run::RunReport& report);

std::string replay_text(const run::ReplayReport& report);

std::string stack_text(const std::vector<binary::SourceFrame>& stack, const std::string& indent);

// "expected thread 0.1, runnable: 0.2, 0.3".
std::string divergence_text(const run::DivergenceReport& divergence);

// A command that a shell splits into the same words again.
std::string command_text(const std::vector<std::string>& words);

}  // namespace heddle::report
