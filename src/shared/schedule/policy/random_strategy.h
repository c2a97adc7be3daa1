#pragma once
#include "base/random.h"
#include "schedule/geometric.h"
#include "schedule/strategy.h"

namespace heddle::schedule {

// At every point, with probability 1/quantum, chooses uniformly among all pending threads, the current one included;
// a quantum of 1 chooses at every point. When the thread cannot go on, and who is woken: uniformly too. The number of
// points to the next choice is drawn ahead; being memoryless, it is simply drawn again after a choice that came early.
class RandomStrategy final : public StrategyOf<RandomStrategy> {
 public:
  RandomStrategy(std::uint64_t seed, std::uint64_t quantum) : random_(seed), quantum_(quantum == 0 ? 1 : quantum) {}

  std::optional<ThreadId> choose(const Situation& situation, std::span<const Pending> pending) override;
  // Draws: call it once after every choice of who runs, and once before the first.
  std::uint64_t points_until_choice() override { return quantum_.draw(random_); }

 private:
  Random random_;
  Geometric quantum_;
};

}  // namespace heddle::schedule
