#pragma once
// The strategy that the session configures, built in static storage from the session's inputs, and the queries that
// only replays answer.
#include <optional>
#include <span>

#include "schedule/make_strategy.h"
#include "schedule/strategy.h"

namespace heddle::runtime {

schedule::MadeStrategy make_strategy();
// The strategy cannot continue. Reports the expected and the runnable threads, and ends the run.
[[noreturn]] void report_divergence();
// Exact replay: the thread that runs next in the recording; kNoThread: the current run is the last, or that thread does
// not exist.
ThreadId next_recorded_thread();
// A list of turns: see TurnsStrategy::planned().
schedule::TurnsStrategy::Planned next_planned_thread(const schedule::Situation& situation);
// Exact replay: true if the recorded thread blocked at this step. External events may arrive sooner or later than in
// the recording, but whether a thread waited for them is part of the schedule. nullopt: not known.
std::optional<bool> recorded_to_block();
// The same for a list of turns, which the program may not be able to follow.
std::optional<bool> planned_to_block();
// Exact replay: the recorded result of the current read from outside, in bytes or -errno; nullopt: not known.
std::optional<long> recorded_arrival();
// That read is complete.
void arrival_passed();
// Writes to the session's result how many of the schedule's switches were met.
void report_switches_met();

}  // namespace heddle::runtime
