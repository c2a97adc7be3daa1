#pragma once
// A schedule that was not recorded but made up: by a prediction, by leaving out parts of another one. It says which thread
// runs how far, as a replay does, and nothing of what else must be true on the way. Where it cannot be followed the run
// goes on without it, and tells how far it came.
#include <cstdint>
#include <span>

#include "base/random.h"
#include "schedule/geometric.h"
#include "schedule/replay_strategy.h"
#include "schedule/strategy.h"

namespace heddle::schedule {

class GuidedStrategy final : public Strategy {
 public:
  struct Inputs {
    // `points` of the last run of a thread count up to where it is stopped, as in a replay. A thread that blocks or ends
    // at its last point but one has come as far as it could; `check` and `forced` say nothing here.
    std::span<const format::ReplayRun> runs;
    std::span<const std::uint32_t> choices;
    ThreadOfDescent thread_of;
    std::uint64_t begin_step;
    // Afterwards: with `tail_quantum` 0 threads run until they block, lowest id first; else by chance, as Random.
    std::uint64_t tail_quantum;
    std::uint64_t tail_seed;
  };

  explicit GuidedStrategy(const Inputs& inputs);

  std::optional<ThreadId> choose(const Situation& situation, std::span<const Pending> pending) override;
  std::uint64_t points_until_choice() override;

  // Runs that were made in full; all of them: it was followed to its end.
  std::uint64_t runs_made() const { return run_; }
  bool followed() const { return run_ == runs_.size(); }

 private:
  ThreadId choose_afterwards(const Situation& situation, std::span<const Pending> pending);
  std::optional<ThreadId> begin_run(const Situation& situation, std::span<const Pending> pending);

  std::span<const format::ReplayRun> runs_;
  std::span<const std::uint32_t> choices_;
  ThreadOfDescent thread_of_;
  std::size_t run_ = 0;
  std::size_t next_choice_ = 0;
  std::uint64_t run_begin_step_;
  bool given_up_ = false;
  Random random_;
  Geometric tail_;
  bool tail_by_chance_;
};

}  // namespace heddle::schedule
