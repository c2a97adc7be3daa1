#pragma once
// POS: X. Yuan, J. Yang, R. Gu, "Partial Order Aware Concurrency Sampling", CAV 2018.
//
// Each pending operation has a random priority, and the enabled operation with the highest priority executes. Then the
// priorities of the operations that race with it are drawn again: otherwise the loser of one race would also lose the
// following ones.
//
// Two operations race when they touch the same object and are not both reads. An operation that blocks, such as a lock
// of a held mutex, counts as executed when it is attempted. It has a new priority when it is enabled. In the paper it
// also does, because the operation that enables it races with it. A time-out fires early at one of
// kPointsPerEarlyTimeout points.
#include <cstdint>

#include "base/random.h"
#include "schedule/reusable_table.h"
#include "schedule/strategy.h"

namespace heddle::schedule {

// True if the order of the two operations matters.
bool operations_race(const Pending& one, const Pending& other);

class PosStrategy final : public StrategyOf<PosStrategy> {
 public:
  using Priorities = ReusableTable<std::uint64_t>;  // by thread: priority of its pending operation; 0: not drawn yet

  // REQUIRES: `priorities` is zero and outlives this.
  PosStrategy(std::uint64_t seed, Priorities& priorities) : random_(seed), priorities_(priorities) {}

  std::optional<ThreadId> choose(const Situation& situation, std::span<const Pending> pending) override;
  std::uint64_t points_until_choice() override { return 1; }

 private:
  std::uint64_t priority_of(ThreadId thread);

  Random random_;
  Priorities& priorities_;
};

}  // namespace heddle::schedule
