#pragma once
// The phases of shrinking. Each makes the failing execution smaller in one respect, as far as the criterion permits,
// and returns true if it did. A guess tries one or a few candidates that a profile suggests; it is judged by the same
// criterion as every other candidate.
#include <functional>
#include <memory>
#include <optional>
#include <utility>

#include "shrink/sequential_oracle.h"

namespace heddle::shrink {

// The state that all phases share: the smallest failing run so far and what judges candidates for the next one.
struct Reduction {
  Budget& budget;
  FailureTrials& trials;
  RunProfiler& profiler;
  SequentialOracle& oracle;
  FailingRun best;
  std::function<void()> changed;  // called whenever `best` has changed

  void take(FailingRun failing) {
    best = std::move(failing);
    changed();
  }
  // Takes the first of `count` schedules that fails in the wanted way and for which `holds` is true. Returns its index.
  std::optional<std::size_t> take_first(std::size_t count, const FailureTrials::Make& schedule,
                                        const FailureTrials::Holds& holds) {
    std::optional<FailureTrials::Found> found = trials.first_failing(count, schedule, holds);
    if (!found) return std::nullopt;
    take(std::move(found->failing));
    return found->index;
  }
  bool can_afford(std::uint64_t runs) const { return budget.can_afford(runs, best.size.events); }
  // Null if `best` does not fail in the wanted way again.
  std::shared_ptr<const FailureProfile> profile_best() { return profiler.profile_run(best.schedule); }
};

// Guess: removes all threads unrelated to the failure, according to the recorded communication.
bool guess_threads(Reduction& reduction, const SequentialOrder& order);

// Removes threads, level by level of the tree of descent (LEAN, Algorithm 1). The remaining threads must fail in the
// same way under the projection of the schedule, and pass in this order (LEAN, Definition 2).
bool remove_threads(Reduction& reduction, const SequentialOrder& order);

// Removes preemptions until no single one can be removed; then other switches.
bool remove_preemptions(Reduction& reduction);

// Removes one thread that only another schedule can do without. Searches all schedules with at most the current number
// of preemptions, within a share of the budget.
bool search_fewer_threads(Reduction& reduction, const SequentialOrder& order);

// Skips iterations outside the slice of the failure (LEAN, Algorithm 3), as far as the criterion permits.
struct SliceFigures {
  std::uint64_t events = 0;    // of the sliced execution
  std::uint64_t relevant = 0;  // on which the failure depends
  std::uint64_t skipped = 0;   // no longer executed
};
bool skip_outside_slice(Reduction& reduction, const SequentialOrder& order, SliceFigures& figures);

// Skips iterations of marked loops, by thread and loop (LEAN, Algorithm 4), under the criterion for threads.
bool remove_iterations(Reduction& reduction, const SequentialOrder& order);

// Guess: keeps only one preemption, at which another thread accessed the preempted thread's data.
bool guess_preemption(Reduction& reduction);

// Guess: keeps only iterations in which threads were preempted, interfered or created other threads. May change the
// order.
bool guess_iterations(Reduction& reduction, SequentialOrder& order);

// Guess: a thread that stays preempted until the failure is terminated instead. Its unfinished iteration and all later
// ones are skipped.
bool terminate_parked_threads(Reduction& reduction, const SequentialOrder& order);

// Skips all iterations that the failing run never reached. This does not shrink the failing run, but shortens passing
// trials.
bool skip_unreached(Reduction& reduction, const SequentialOrder& order);

// Searches all schedules with fewer preemptions, fewest first, within the budget: after one preemption is removed, the
// others may be needed at other points. `proven`: the search was complete, so fewer preemptions are impossible.
bool search_fewer_preemptions(Reduction& reduction, bool& proven);

// Moves each preemption to a synchronisation or, if the program does not fail there, to the first access of its line.
bool place_preemptions(Reduction& reduction);

}  // namespace heddle::shrink
