#include "schedule/policy/random_strategy.h"

#include "schedule/pending_threads.h"

namespace heddle::schedule {

std::optional<ThreadId> RandomStrategy::choose(const Situation& situation, std::span<const Pending> pending) {
  return draw_next(situation, pending, random_);
}

}  // namespace heddle::schedule
