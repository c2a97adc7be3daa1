#pragma once
#include "schedule/strategy.h"

namespace heddle::schedule {

// Runs the threads in order of their ids, each for `quantum` scheduling points or until it blocks.
//
// Threads that always get the same number of points can stay in lockstep forever: a thread that needs four points to
// handle a signal makes no progress if another thread sends the next signal every three points. Some rounds are
// therefore longer for all threads: the 64th is twice as long, the 128th four times, and so on, until a round is long
// enough for any thread.
class RoundRobinStrategy final : public StrategyOf<RoundRobinStrategy> {
 public:
  explicit RoundRobinStrategy(std::uint64_t quantum) : quantum_(quantum == 0 ? 1 : quantum) {}

  std::optional<ThreadId> choose(const Situation& situation, std::span<const Pending> pending) override;
  std::uint64_t points_until_choice() override;

 private:
  std::uint64_t quantum_;
  std::uint64_t round_ = 1;
};

}  // namespace heddle::schedule
