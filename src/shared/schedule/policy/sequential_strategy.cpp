#include "schedule/policy/sequential_strategy.h"

#include "schedule/pending_threads.h"

namespace heddle::schedule {

std::optional<ThreadId> SequentialStrategy::choose(const Situation& situation, std::span<const Pending> pending) {
  const bool runs_on = situation.question == Question::Run && situation.current_runnable && !situation.must_yield;
  if (runs_on) return situation.current;
  if (order_ == Order::Random) return draw(pending, Offer::Ready, random_)->thread;
  if (situation.question == Question::Wake) return pending.front().thread;
  if (order_ == Order::ById) {
    return situation.must_yield ? next_in_cycle(pending, situation.current) : lowest(pending);
  }
  return situation.must_yield ? previous_in_cycle(pending, situation.current) : highest(pending);
}

}  // namespace heddle::schedule
