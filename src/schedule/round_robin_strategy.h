#pragma once
#include "schedule/strategy.h"

namespace heddle::schedule {

// Every thread in turn, by id, for `quantum` scheduling points or until it blocks.
class RoundRobinStrategy final : public Strategy {
 public:
  explicit RoundRobinStrategy(std::uint64_t quantum) : quantum_(quantum == 0 ? 1 : quantum) {}

  std::optional<ThreadId> choose(const Situation& situation, std::span<const Pending> pending) override;
  std::uint64_t points_until_choice() override { return quantum_; }

 private:
  std::uint64_t quantum_;
};

}  // namespace heddle::schedule
