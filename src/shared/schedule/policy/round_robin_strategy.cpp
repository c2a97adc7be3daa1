#include "schedule/policy/round_robin_strategy.h"

#include "schedule/pending_threads.h"

namespace heddle::schedule {
namespace {

// The first longer round is number 2 * kPlainRounds. All rounds that are not multiples of it keep the plain quantum.
constexpr std::uint64_t kPlainRounds = 32;

}  // namespace

std::optional<ThreadId> RoundRobinStrategy::choose(const Situation& situation, std::span<const Pending> pending) {
  if (situation.question == Question::Wake) return pending.front().thread;
  const ThreadId next = next_in_cycle(pending, situation.current);
  if (next <= situation.current) ++round_;
  return next;
}

std::uint64_t RoundRobinStrategy::points_until_choice() {
  const std::uint64_t lowest_bit = round_ & (~round_ + 1);
  return lowest_bit <= kPlainRounds ? quantum_ : quantum_ * (lowest_bit / kPlainRounds);
}

}  // namespace heddle::schedule
