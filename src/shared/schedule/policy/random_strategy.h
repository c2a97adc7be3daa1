#pragma once
#include "base/random.h"
#include "schedule/geometric.h"
#include "schedule/strategy.h"

namespace heddle::schedule {

// A random walk. At every point, with probability 1/quantum, it chooses uniformly among the Ready threads, the current
// one included; a quantum of 1 chooses at every point. One of kChoicesPerEarlyTimeout choices fires a time-out early.
// Forced choices and the choice of the thread to wake are uniform too. The number of points to the next choice is drawn
// in advance. The distribution is memoryless, so the number is drawn again after a choice that came early.
class RandomStrategy final : public StrategyOf<RandomStrategy> {
 public:
  RandomStrategy(std::uint64_t seed, std::uint64_t quantum) : random_(seed), quantum_(quantum == 0 ? 1 : quantum) {}

  std::optional<ThreadId> choose(const Situation& situation, std::span<const Pending> pending) override;
  // Draws a random number. REQUIRES: called once before the first choice and once after every Question::Run.
  std::uint64_t points_until_choice() override { return quantum_.draw(random_); }

 private:
  Random random_;
  Geometric quantum_;
};

}  // namespace heddle::schedule
