#pragma once
// PCT: S. Burckhardt, P. Kothari, M. Musuvathi, S. Nagarakatte, "A Randomized Scheduler with Probabilistic Guarantees
// of Finding Bugs", ASPLOS 2010.
//
// Threads have random priorities, and of those that can run the one with the highest does. `depth` - 1 steps are drawn
// among the `length` that a run is expected to have; the thread that comes to the i-th of them has its priority lowered
// to i, below all that were drawn. With n threads and k steps a bug of this depth is met with probability at least
// 1/(n k^(depth-1)).
//
// Where this differs: the number of threads need not be known, because a priority is a random number instead of a place
// in a permutation; a thread that must yield, because it asked to or because it seems to spin, drops below everybody,
// as nothing else lets its loop end; and who is woken, which the paper leaves open, is drawn uniformly. A run in which
// a thread dropped that way is outside of the guarantee.
#include <cstdint>

#include "base/random.h"
#include "schedule/reusable_table.h"
#include "schedule/strategy.h"

namespace heddle::schedule {

class PctStrategy final : public StrategyOf<PctStrategy> {
 public:
  static constexpr std::uint32_t kDepthMax = 64;  // deeper is taken for this

  struct Parameters {
    std::uint64_t seed;
    std::uint32_t depth;
    std::uint64_t length;
    std::uint64_t begin_step;  // behind which the steps are counted
  };
  using Priorities = ReusableTable<std::uint64_t>;  // by thread

  // REQUIRES: `priorities` is zero and outlives this.
  PctStrategy(const Parameters& parameters, Priorities& priorities);

  std::optional<ThreadId> choose(const Situation& situation, std::span<const Pending> pending) override;
  // Whoever is woken or created may have a higher priority than the current thread, and only a choice finds that out.
  std::uint64_t points_until_choice() override { return 1; }

 private:
  std::uint64_t& priority_of(ThreadId thread);
  void lower_at_change_points(const Situation& situation);

  Random random_;
  Priorities& priorities_;
  std::uint32_t threads_ = 0;  // that have been given a priority: all below this id
  std::uint32_t change_count_ = 0;
  std::uint64_t change_steps_[kDepthMax - 1];
  std::uint64_t next_change_;  // the least of change_steps_ that is still to come
  std::uint64_t dropped_ = 0;
};

}  // namespace heddle::schedule
