#pragma once
#include <cstdint>
#include <vector>

#include "experiment/schedule.h"
#include "explain/recording/recording.h"

namespace heddle::explain {

// The events of one thread between two switches.
struct TurnSpan {
  ThreadId thread = kMainThread;
  std::size_t begin = 0, end = 0;  // events
  std::uint64_t done_before = 0;   // points of the thread at the beginning
  std::uint64_t until = 0;         // points of the thread at the end
  bool preempted = false;          // the thread could have continued
  bool sleeps = false;             // the thread waits in its last point, for example for a condition
  std::uint32_t blocks = 1;        // as in experiment::Turn

  experiment::Turn turn() const { return experiment::turn_until(thread, until, sleeps, blocks); }
};

// A thread that wakes and waits again without a point has a span without events.
std::vector<TurnSpan> turn_spans_of(const Recording& recording);
experiment::Turns turns_of(const std::vector<TurnSpan>& spans);
std::size_t preemptions_in(const std::vector<TurnSpan>& spans);

// A piece of one thread's work that experiments move as a whole: an outermost critical section, or a single event
// outside of one.
struct Unit {
  ThreadId thread = kMainThread;
  std::vector<std::size_t> events;  // indexes into the recording, points and others
  std::uint64_t done_before = 0;
  std::uint64_t until = 0;
  bool sleeps = false;  // as in TurnSpan
  std::uint32_t blocks = 1;

  experiment::Turn turn() const { return experiment::turn_until(thread, until, sleeps, blocks); }
};

// How to treat a critical section whose end is not among the events: as one unit, or as a unit for each event, because
// its thread stopped inside and could have stopped anywhere else inside.
enum class Unfinished : std::uint8_t { Whole, Divided };

// REQUIRES: `events` are in order and of one thread.
std::vector<Unit> units_of(const Recording& recording, const std::vector<std::size_t>& events,
                           Unfinished unfinished = Unfinished::Whole);

}  // namespace heddle::explain
