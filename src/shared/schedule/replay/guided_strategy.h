#pragma once
// A schedule that was not recorded but made up: by a prediction, by leaving out parts of another one. It says which thread
// runs how far, as a replay does, and nothing of what else must be true on the way. Where it cannot be followed the run
// goes on without it, and tells how far it came.
#include <cstdint>
#include <span>

#include "base/random.h"
#include "schedule/geometric.h"
#include "schedule/replay/replay_strategy.h"
#include "schedule/reusable_table.h"
#include "schedule/strategy.h"

namespace heddle::schedule {

class GuidedStrategy final : public StrategyOf<GuidedStrategy> {
 public:
  struct Inputs {
    // `points` count up to where the thread is stopped, as in a replay. With `forced` it is not stopped at the last of
    // them, but goes on until it blocks or ends. A thread that blocks or ends at its last point but one has come as far
    // as it could. `check` says nothing here.
    std::span<const format::ReplayRun> runs;
    // With `totals` the points of a run are all that its thread has made since its beginning, not those of this run: how
    // far a thread has come need not be known by whoever makes the schedule. Main's begin with the process.
    bool totals;
    std::span<const std::uint32_t> choices;
    ThreadOfDescent thread_of;
    std::uint64_t begin_step;
    // Afterwards: with `tail_quantum` 0 threads run until they block, lowest id first; else by chance, as Random.
    std::uint64_t tail_quantum;
    std::uint64_t tail_seed;
  };

  // REQUIRES: `made` is zero and outlives this.
  GuidedStrategy(const Inputs& inputs, ReusableTable<std::uint64_t>& made);

  std::optional<ThreadId> choose(const Situation& situation, std::span<const Pending> pending) override;
  std::uint64_t points_until_choice() override;

  // Runs that were made in full; all of them: it was followed to its end.
  std::uint64_t runs_made() const { return run_; }
  bool followed() const { return run_ == runs_.size(); }

 private:
  std::uint64_t target(const format::ReplayRun& run) const { return std::uint64_t{run.points} + run.forced; }
  std::uint64_t done_of(ThreadId thread, std::uint64_t step);
  ThreadId choose_afterwards(const Situation& situation, std::span<const Pending> pending);
  std::optional<ThreadId> begin_run(const Situation& situation, std::span<const Pending> pending);

  std::span<const format::ReplayRun> runs_;
  std::span<const std::uint32_t> choices_;
  ThreadOfDescent thread_of_;
  std::size_t run_ = 0;
  std::size_t next_choice_ = 0;
  std::uint64_t run_begin_step_;
  bool totals_;
  ReusableTable<std::uint64_t>& made_;  // points by thread, where totals are given
  std::uint64_t counted_step_;          // up to here they are counted
  ThreadId running_ = kMainThread;
  bool given_up_ = false;
  Random random_;
  Geometric tail_;
  bool tail_by_chance_;
};

}  // namespace heddle::schedule
