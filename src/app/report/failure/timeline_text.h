#pragma once
#include <string>

#include "explain/explanation.h"

namespace heddle::report {

// The parts of a step of the timeline in words. Events: what is done, to what, and the value; empty where it is not
// known.
std::string action_text(const explain::Step& step);
std::string object_text(const explain::Step& step);
std::string value_text(const explain::Step& step);
// Switches: why the thread lost the turn.
std::string switch_reason(const explain::Step& step);
// What a thread was doing when the run ended.
std::string thread_end_text(const explain::ThreadInfo& thread);

}  // namespace heddle::report
