#include "schedule/policy/random_strategy.h"

namespace heddle::schedule {

std::optional<ThreadId> RandomStrategy::choose(const Situation&, std::span<const Pending> pending) {
  return pending[random_.below(pending.size())].thread;
}

}  // namespace heddle::schedule
