#pragma once
// Each makes the failing execution smaller in one respect, as far as it goes, and says whether it did.
#include <functional>

#include "shrink/sequential_oracle.h"

namespace heddle::shrink {

struct Reduction {
  Budget& budget;
  FailureTrials& trials;
  RunProfiler& profiler;
  SequentialOracle& oracle;
  FailingRun best;
  std::function<void()> changed;  // called whenever `best` has become smaller

  void take(FailingRun failing) {
    best = std::move(failing);
    changed();
  }
};

// Whole threads at once: all that had nothing to do with the failure, as far as was heard. A guess, which the same
// criterion decides about.
bool guess_threads(Reduction& reduction, const SequentialOrder& order);

// Whole threads, level by level of the tree of descent (LEAN, Algorithm 1). What is left must fail in the same way
// under the projection of the schedule, and pass in this order (LEAN, Definition 2).
bool remove_threads(Reduction& reduction, const SequentialOrder& order);

// Preemptions, until no single one can be left out; then other switches.
bool remove_preemptions(Reduction& reduction);

// One thread, where that takes another schedule. Searches all of them that have no more preemptions, as long as that
// can be afforded.
bool search_fewer_threads(Reduction& reduction, const SequentialOrder& order);

// Iterations in which nothing was done that the failure depends on (LEAN, Algorithm 3), as far as the criterion holds
// without them.
struct SliceFigures {
  std::uint64_t events = 0;    // of the execution that was sliced
  std::uint64_t relevant = 0;  // of them, that the failure depends on
  std::uint64_t skipped = 0;   // that are no longer executed
};
bool skip_outside_slice(Reduction& reduction, const SequentialOrder& order, SliceFigures& figures);

// Iterations of marked loops, by thread and loop (LEAN, Algorithm 4); the criterion is that for threads.
bool remove_iterations(Reduction& reduction, const SequentialOrder& order);

// All preemptions but one at once: the one at which a thread was stopped when another came to its data. A guess.
bool guess_preemption(Reduction& reduction);

// All iterations but those in which threads were stopped or interfered, or started others. A guess. May change the
// order.
bool guess_iterations(Reduction& reduction, SequentialOrder& order);

// Who is stopped and does not go on until the failure has no need to be stopped if it ends there: the iteration that it
// is in is left out, with all that would have followed. A guess.
bool terminate_parked_threads(Reduction& reduction, const SequentialOrder& order);

// All iterations that the failing run did not come to. It is not smaller for that, but every run is that does not fail.
bool skip_unreached(Reduction& reduction, const SequentialOrder& order);

// Leaving one out may make another place the right one. Searches all schedules with fewer preemptions, fewest first, as
// long as that can be afforded. Nothing is left to be found: `proven`.
bool search_fewer_preemptions(Reduction& reduction, bool& proven);

// Moves every preemption that is left to a synchronisation or, where it does not fail there, to the beginning of the
// line that it is in.
bool place_preemptions(Reduction& reduction);

}  // namespace heddle::shrink
