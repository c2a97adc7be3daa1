#include "schedule/policy/pos_strategy.h"

#include "schedule/pending_threads.h"

namespace heddle::schedule {

bool operations_race(const Pending& one, const Pending& other) {
  if (one.object == 0 || one.object != other.object) return false;
  const bool both_access = format::is_access(one.kind) && format::is_access(other.kind);
  return !both_access || format::is_write_access(one.kind) || format::is_write_access(other.kind);
}

std::optional<ThreadId> PosStrategy::choose(const Situation& situation, std::span<const Pending> pending) {
  if (situation.question == Question::Wake) return pending[random_.below(pending.size())].thread;
  if (const Pending* const early = draw_early(situation, pending, kPointsPerEarlyTimeout, random_)) {
    return early->thread;
  }
  const Pending* highest = nullptr;
  for (const Pending& one : pending) {
    if (one.offer != Offer::Ready) continue;
    if (highest == nullptr || priority_of(one.thread) > priority_of(highest->thread)) highest = &one;
  }
  for (const Pending& other : pending) {
    if (other.thread == highest->thread || operations_race(*highest, other)) priorities_[number(other.thread)] = 0;
  }
  return highest->thread;
}

std::uint64_t PosStrategy::priority_of(ThreadId thread) {
  std::uint64_t& priority = priorities_[number(thread)];
  if (priority == 0) priority = random_.next() | 1;
  return priority;
}

}  // namespace heddle::schedule
