#pragma once
#include <memory>
#include <optional>
#include <vector>

#include "explain/recording/memory_effect.h"
#include "explain/recording/turn_span.h"
#include "explain/trials/trial_oracle.h"

namespace heddle::explain {

// A recording and the effects of its events.
struct Observed {
  Recording recording;
  std::vector<MemoryEffect> effects;  // by event
};
using ObservedPtr = std::shared_ptr<const Observed>;
ObservedPtr observe(Recording recording);

// A unit of a recording whose place in the order decides whether the program fails.
struct Mark {
  ObservedPtr in;
  Unit unit;
};

// The core of a failure. One thread (the *stopped* one) is stopped while others (the *intruders*) run. The program
// fails only if
//   `before` of the stopped thread comes before `first` of the intruders, and
//   `last` of the intruders comes before `after` of the stopped thread.
// An order violation has no first pair: the progress of the stopped thread does not matter.
struct Pattern {
  ThreadId stopped = kMainThread;
  std::optional<Mark> before, first, last, after;
  std::vector<Unit> skipped;   // of the passing run: units of the stopped thread between its stop and `after`
  ObservedPtr passing;         // the run in which the stopped thread continues instead
  bool was_preempted = false;  // the stopped thread has points in the span before its stop
};

// Effects that can decide: on the program's memory; also waits and wake-ups; also locks.
enum class Want { Memory, Waiting, Anything };

// Finds the marks of a pattern by experiment. The stop is moved later and earlier, and the intruders' work is divided
// at earlier and later places, one unit at a time, until the program passes. The unit that was moved last is the mark.
// Only units that conflict with the other side are tried, the nearest to the stop first. Failing is not monotonic in
// the place of a stop, so a binary search would skip marks. An attempt counts only if the run followed the changed part
// of the order; the rest of the order is best effort.
class PatternFinder {
 public:
  PatternFinder(TrialOracle& oracle, ObservedPtr failing);

  // The pattern of the preemption at the end of this span; nullopt: none was found.
  Result<std::optional<Pattern>> at_preemption(std::size_t span, Want want);
  // The pattern of a span whose thread blocked on a lock at its end: waiting for the lock stopped it.
  Result<std::optional<Pattern>> at_block(std::size_t span, Want want);
  // The pattern in which `other`, which was runnable before this span, should have run first.
  Result<std::optional<Pattern>> at_start(std::size_t span, ThreadId other, Want want);

  const std::vector<TurnSpan>& spans() const { return spans_; }

 private:
  struct Situation;
  Situation situation_after(std::size_t span, Want want) const;
  Result<std::optional<Pattern>> examine(Situation& situation);
  bool find_intruders(Situation& situation) const;
  void find_later(Situation& situation, const Observed& passing) const;
  Result<bool> find_after(Situation& situation, Pattern& pattern);
  Result<bool> find_before(Situation& situation, Pattern& pattern);
  Result<bool> find_last(Situation& situation, Pattern& pattern);
  Result<bool> find_first(Situation& situation, Pattern& pattern);
  bool find_read_before(const Situation& situation, std::size_t creation, Pattern& pattern) const;
  std::optional<std::uint64_t> awaited_lock(std::size_t span) const;
  bool creates_intruder(const Situation& situation, const Unit& unit) const;
  Result<bool> decides(const experiment::Turns& order, std::size_t turns_needed, Mark candidate,
                       std::optional<Mark>& mark);
  experiment::Turns until_stop(const Situation& situation, std::uint64_t done) const;
  experiment::Turns until_released(const Situation& situation) const;
  void add_rest(experiment::Turns& order, const Situation& situation, std::size_t unit) const;

  TrialOracle& oracle_;
  ObservedPtr failing_;
  std::vector<TurnSpan> spans_;
};

}  // namespace heddle::explain
