#pragma once
// PCT: S. Burckhardt, P. Kothari, M. Musuvathi, S. Nagarakatte, "A Randomized Scheduler with Probabilistic Guarantees
// of Finding Bugs", ASPLOS 2010.
//
// Each thread has a random priority, and the runnable thread with the highest priority runs. `depth` - 1 change points
// are drawn among the `length` steps that a run is expected to have; the thread that reaches the i-th change point has
// its priority lowered to i, below all drawn priorities. With n threads and k steps, a run meets a bug of this depth
// with probability at least 1/(n k^(depth-1)).
//
// Differences from the paper:
// - A priority is a random number instead of a position in a permutation, so the number of threads need not be known.
// - A thread that must yield, because it yields or seems to spin, drops below all other threads; otherwise its loop
//   would not terminate. The guarantee does not hold for a run in which a thread has dropped in this way.
// - A change point fires a time-out early instead, with probability 1/2, where a thread is in a timed wait.
// - The paper does not define which thread is woken. Here it is drawn uniformly.
#include <cstdint>

#include "base/random.h"
#include "schedule/reusable_table.h"
#include "schedule/strategy.h"

namespace heddle::schedule {

class PctStrategy final : public StrategyOf<PctStrategy> {
 public:
  static constexpr std::uint32_t kDepthMax = 64;  // larger depths are clamped to this

  struct Parameters {
    std::uint64_t seed;
    std::uint32_t depth;
    std::uint64_t length;
    std::uint64_t begin_step;  // the `length` steps follow this one
  };
  using Priorities = ReusableTable<std::uint64_t>;  // by thread

  // REQUIRES: `priorities` is zero and outlives this.
  PctStrategy(const Parameters& parameters, Priorities& priorities);

  std::optional<ThreadId> choose(const Situation& situation, std::span<const Pending> pending) override;
  // A woken or created thread may have a higher priority than the current one, and only a choice detects that.
  std::uint64_t points_until_choice() override { return 1; }

 private:
  std::uint64_t& priority_of(ThreadId thread);
  void pass_change_points(const Situation& situation, bool lower);

  Random random_;
  Priorities& priorities_;
  std::uint32_t threads_ = 0;  // all threads with a lower id have a priority
  std::uint32_t change_count_ = 0;
  std::uint64_t change_steps_[kDepthMax - 1];
  std::uint64_t next_change_;  // the smallest of change_steps_ that has not been reached
  std::uint64_t dropped_ = 0;  // number of yields that lowered a priority
};

}  // namespace heddle::schedule
