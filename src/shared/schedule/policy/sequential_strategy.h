#pragma once
#include "base/random.h"
#include "schedule/strategy.h"

namespace heddle::schedule {

// Runs each thread until it blocks, terminates or yields: a schedule without preemptions.
class SequentialStrategy final : public StrategyOf<SequentialStrategy> {
 public:
  enum class Order : std::uint8_t { ById, ByReverseId, Random };

  SequentialStrategy(Order order, std::uint64_t seed) : order_(order), random_(seed) {}

  std::optional<ThreadId> choose(const Situation& situation, std::span<const Pending> pending) override;
  std::uint64_t points_until_choice() override { return ~std::uint64_t{0}; }

 private:
  Order order_;
  Random random_;
};

}  // namespace heddle::schedule
