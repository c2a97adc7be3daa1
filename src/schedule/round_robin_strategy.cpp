#include "schedule/round_robin_strategy.h"

#include "schedule/pending_threads.h"

namespace heddle::schedule {

std::optional<ThreadId> RoundRobinStrategy::choose(const Situation& situation, std::span<const Pending> pending) {
  if (situation.question == Question::Wake) return pending.front().thread;
  return next_in_circle(pending, situation.current);
}

}  // namespace heddle::schedule
