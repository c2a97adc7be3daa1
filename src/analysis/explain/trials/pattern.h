#pragma once
// The heart of a failure: two stretches of work in different threads whose order decides, found by moving one past the
// other until the failure disappears.
#include <memory>
#include <optional>
#include <vector>

#include "explain/recording/memory_effect.h"
#include "explain/recording/turn_span.h"
#include "explain/trials/trial_oracle.h"

namespace heddle::explain {

// A recording together with what its events touch.
struct Observed {
  Recording recording;
  std::vector<MemoryEffect> effects;
};
using ObservedPtr = std::shared_ptr<const Observed>;
ObservedPtr observe(Recording recording);

// A unit of a recording that must be where it is for the program to fail.
struct Mark {
  ObservedPtr in;
  Unit unit;
};

// One thread (the *stopped* one) stands still while others (the *intruders*) work. The failure needs that
//   `before` of the stopped thread comes before `first` of the intruders, and
//   `last` of the intruders before `after` of the stopped thread.
// The first pair is missing when it does not matter how far the thread had come: an order violation.
struct Pattern {
  ThreadId stopped = kMainThread;
  std::optional<Mark> before, first, last, after;
  std::vector<Unit> skipped;  // of the passing run: what the stopped thread does before `after` when it goes on
  ObservedPtr passing;        // the run in which the stopped thread goes on instead
  bool was_preempted = false;
};

// What is looked at: accesses to the program's memory, also its waiting and waking, or even its locks.
enum class Want { Memory, Waiting, Anything };

class PatternFinder {
 public:
  PatternFinder(TrialOracle& oracle, ObservedPtr failing);

  // What the preemption at the end of this stretch is needed for; nullopt: nothing that could be found.
  Result<std::optional<Pattern>> at_preemption(std::size_t stretch, Want want);
  // The same for a stretch at whose end its thread had to wait for a lock: whoever had it stood in its way.
  Result<std::optional<Pattern>> at_block(std::size_t stretch, Want want);
  // Whether a thread that waited for the turn before this stretch should have had it.
  Result<std::optional<Pattern>> at_start(std::size_t stretch, ThreadId other, Want want);

  const std::vector<TurnSpan>& stretches() const { return stretches_; }

 private:
  struct Situation;
  Result<std::optional<Pattern>> examine(Situation& situation);
  Result<bool> find_after(Situation& situation, Pattern& pattern);
  Result<bool> find_before(Situation& situation, Pattern& pattern);
  Result<bool> find_last(Situation& situation, Pattern& pattern);
  Result<bool> find_first(Situation& situation, Pattern& pattern);
  // The thread of the stretch stands at its end, and others go on.
  Situation situation_after(std::size_t stretch, Want want) const;
  std::optional<std::uint64_t> awaited_lock(std::size_t stretch) const;
  bool creates_intruder(const Situation& situation, const Unit& unit) const;
  bool find_looked_at(const Situation& situation, std::size_t creation, Pattern& pattern) const;
  Result<bool> passes(const experiment::Turns& order, std::size_t turns_needed);
  experiment::Turns prefix(std::size_t stretches) const;
  experiment::Turns until_it_can_go_on(const Situation& situation) const;
  void add_segment(experiment::Turns& order, const Situation& situation, std::size_t begin, std::size_t end) const;
  void add_rest(experiment::Turns& order, const Situation& situation) const;

  TrialOracle& oracle_;
  ObservedPtr failing_;
  std::vector<TurnSpan> stretches_;
};

}  // namespace heddle::explain
