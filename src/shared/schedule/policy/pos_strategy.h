#pragma once
// POS: X. Yuan, J. Yang, R. Gu, "Partial Order Aware Concurrency Sampling", CAV 2018.
//
// Every operation that a thread is about to do has a random priority, and of those that can be done the one with the
// highest is. When it is done, the operations that race with it have theirs drawn again: otherwise the loser of one
// race would lose the following ones as well.
//
// Operations race when they touch the same object and are not both reads. An operation that blocks (a lock that is
// held) counts as done when it is tried; it has a new priority when it can be done, as it has in the paper, where what
// made it possible races with it.
#include <cstdint>

#include "base/random.h"
#include "schedule/reusable_table.h"
#include "schedule/strategy.h"

namespace heddle::schedule {

// The order in which the two are done makes a difference.
bool operations_race(const Pending& one, const Pending& other);

class PosStrategy final : public StrategyOf<PosStrategy> {
 public:
  using Priorities = ReusableTable<std::uint64_t>;  // by thread, of what it is about to do; 0: not drawn yet

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
