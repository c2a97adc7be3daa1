#pragma once
#include <cstdint>
#include <vector>

#include "experiment/schedule.h"
#include "explain/recording/recording.h"

namespace heddle::explain {

// What one thread did while it had the turn.
struct TurnSpan {
  ThreadId thread = kMainThread;
  std::size_t begin = 0, end = 0;  // events; the last is before `end`, those of nobody else between
  std::uint64_t done_before = 0;   // points of the thread
  std::uint64_t until = 0;
  bool preempted = false;    // it could have gone on
  bool sleeps = false;       // its last point is one at which it waits, as for a condition
  std::uint32_t blocks = 1;  // as in experiment::Turn

  experiment::Turn turn() const { return experiment::turn_until(thread, until, sleeps, blocks); }
};

// A thread that was woken and waits again without a point has a stretch without events.
std::vector<TurnSpan> turn_spans_of(const Recording& recording);
experiment::Turns turns_of(const std::vector<TurnSpan>& stretches);
std::size_t preemptions_in(const std::vector<TurnSpan>& stretches);

// A piece of what one thread did that is done whole: from one moment at which it has no lock more than at the beginning
// to the next. Without locks, a single event.
struct Unit {
  ThreadId thread = kMainThread;
  std::vector<std::size_t> events;  // indexes into the recording, points and others
  std::uint64_t done_before = 0;
  std::uint64_t until = 0;
  bool sleeps = false;  // as in Stretch
  std::uint32_t blocks = 1;

  experiment::Turn turn() const { return experiment::turn_until(thread, until, sleeps, blocks); }
};

// Of a critical section that is not left among the events: one unit, or one for each event, as when its thread was
// stopped inside of it and could as well have been stopped anywhere else there.
enum class Unfinished : std::uint8_t { Whole, Divided };

// The units of one thread among `events`, which are in order.
std::vector<Unit> units_of(const Recording& recording, const std::vector<std::size_t>& events,
                           Unfinished unfinished = Unfinished::Whole);

}  // namespace heddle::explain
