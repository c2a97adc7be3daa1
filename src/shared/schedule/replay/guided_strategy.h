#pragma once
// Follows a schedule that was computed, not recorded: by a prediction, or by removing parts of another schedule. Like a
// replay it is a list of runs (which thread runs, and for how many points), but there are no hashes to compare with.
//
// A run of the list is complete when its thread has passed its points; a run that is not `forced` also if the thread
// blocks or terminates one point earlier. If a thread blocks before that, or the next thread is not runnable, the
// strategy abandons the schedule: the execution continues with the tail policy, and runs_made() returns how much of the
// schedule was followed. INVARIANT: an abandoned schedule is never resumed.
#include <cstdint>
#include <span>

#include "base/random.h"
#include "format/run_inputs.h"
#include "schedule/geometric.h"
#include "schedule/reusable_table.h"
#include "schedule/strategy.h"

namespace heddle::schedule {

class GuidedStrategy final : public StrategyOf<GuidedStrategy> {
 public:
  struct Inputs {
    // `points` include the point at which the thread is preempted, as in a replay. With `forced` the thread is not
    // preempted there, but runs until it blocks or terminates. `check` is ignored.
    std::span<const format::ReplayRun> runs;
    // With `totals` the points of a run count from the beginning of its thread, not from the beginning of the run, so
    // that the maker of the schedule need not know the thread's position. Those of main count from the start of the
    // process.
    bool totals;
    std::span<const std::uint32_t> choices;
    ThreadOfDescent thread_of;
    std::uint64_t begin_step;
    // The tail policy, after the schedule. With `tail_quantum` 0, threads run until they block, lowest id first;
    // otherwise the choices are random, as in RandomStrategy.
    std::uint64_t tail_quantum;
    std::uint64_t tail_seed;
  };

  // REQUIRES: `made` is zero and outlives this.
  GuidedStrategy(const Inputs& inputs, ReusableTable<std::uint64_t>& made);

  std::optional<ThreadId> choose(const Situation& situation, std::span<const Pending> pending) override;
  std::uint64_t points_until_choice() override;

  // The number of complete runs; followed() if the schedule was followed to its end.
  std::uint64_t runs_made() const { return run_; }
  bool followed() const { return run_ == inputs_.runs.size(); }

 private:
  std::uint64_t target(const format::ReplayRun& run) const { return std::uint64_t{run.points} + run.forced; }
  std::uint64_t done_of(ThreadId thread, std::uint64_t step);
  ThreadId choose_afterwards(const Situation& situation, std::span<const Pending> pending);
  std::optional<ThreadId> begin_run(const Situation& situation, std::span<const Pending> pending);

  bool tail_is_random() const { return inputs_.tail_quantum != 0; }

  const Inputs inputs_;
  std::size_t run_ = 0;
  std::size_t next_choice_ = 0;
  std::uint64_t run_begin_step_;
  ReusableTable<std::uint64_t>& made_;  // by thread: points passed
  std::uint64_t counted_step_;          // points up to this step are in made_
  ThreadId running_ = kMainThread;
  bool abandoned_ = false;
  Random random_;
  Geometric tail_;
};

}  // namespace heddle::schedule
