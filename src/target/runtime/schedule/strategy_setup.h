#pragma once
// The strategy that the session asks for, built in static storage from the session's inputs.
#include <optional>
#include <span>

#include "schedule/make_strategy.h"
#include "schedule/strategy.h"

namespace heddle::runtime {

schedule::MadeStrategy make_strategy();
// The strategy could not go on: says in full what was expected and who could run, and ends the run.
[[noreturn]] void report_divergence();
// An exact replay: who has the turn after the run that is under way. kNoThread: it is the last, or that thread is not
// there.
ThreadId next_recorded_thread();
// A list of turns: who is meant to go on, and by which turn; see TurnsStrategy::planned().
schedule::TurnsStrategy::Planned next_planned_thread(const schedule::Situation& situation);
// Exact replay: whether the current thread blocked where it is now. What comes from outside may come sooner or later
// than it did; whether it was waited for is part of the schedule. nullopt: not known.
std::optional<bool> recorded_to_block();
// The same of a list of turns, which may not be possible.
std::optional<bool> planned_to_block();
// Exact replay: what the read from outside that comes now gave in the recorded run, bytes or -errno. nullopt: not
// known.
std::optional<long> recorded_arrival();
// That read has happened.
void arrival_passed();
// Replay by site: how many of the preemptions were met so far goes into the session's result.
void report_switches_met();

}  // namespace heddle::runtime
