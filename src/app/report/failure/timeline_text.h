#pragma once
#include <string>

#include "explain/explanation.h"

namespace heddle::report {

// The parts of an event in the timeline: operation, object and value; empty: unknown.
std::string action_text(const explain::Step& step);
std::string object_text(const explain::Step& step);
std::string value_text(const explain::Step& step);
// True for writes that do not read, whose value is shown as an assignment.
bool is_assignment(const explain::Step& step);
// Why a thread lost the turn.
std::string switch_reason(const explain::Step& step);
// The state of a thread at the end of the run.
std::string thread_end_text(const explain::ThreadInfo& thread);

}  // namespace heddle::report
