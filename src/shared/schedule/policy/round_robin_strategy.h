#pragma once
#include "schedule/strategy.h"

namespace heddle::schedule {

// Every thread in turn, by id, for `quantum` scheduling points or until it blocks.
//
// Threads that always get the same number of points can fall in step for ever: one that needs four to handle a signal
// never gets further when another sends the next one every three. So now and then a round is longer for everybody: the
// 64th twice as long, the 128th four times and so on, up to where each thread is alone for as long as it needs.
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
