#include "schedule/policy/pct_strategy.h"

#include "schedule/pending_threads.h"

namespace heddle::schedule {
namespace {

// Three bands of priorities: drawn ones start at kDrawnMin, those of change points at kChangedMin, and those of threads
// that had to yield lie below kChangedMin.
constexpr std::uint64_t kDrawnMin = std::uint64_t{1} << 63;
constexpr std::uint64_t kChangedMin = std::uint64_t{1} << 62;
constexpr std::uint64_t kNever = ~std::uint64_t{0};

// Half of the change points fire a time-out early where one is offered.
constexpr std::uint64_t kChangesPerEarlyTimeout = 2;

}  // namespace

PctStrategy::PctStrategy(const Parameters& parameters, Priorities& priorities)
    : random_(parameters.seed), priorities_(priorities), next_change_(kNever) {
  const std::uint32_t depth = parameters.depth > kDepthMax ? kDepthMax : parameters.depth;
  const std::uint64_t length = parameters.length == 0 ? 1 : parameters.length;
  while (change_count_ + 1 < depth) {
    const std::uint64_t step = parameters.begin_step + 1 + random_.below(length);
    change_steps_[change_count_++] = step;
    if (step < next_change_) next_change_ = step;
  }
}

std::optional<ThreadId> PctStrategy::choose(const Situation& situation, std::span<const Pending> pending) {
  if (situation.question == Question::Wake) return pending[random_.below(pending.size())].thread;
  if (situation.step >= next_change_) {
    const Pending* const early = draw_early(situation, pending, kChangesPerEarlyTimeout, random_);
    pass_change_points(situation, early == nullptr);
    if (early != nullptr) return early->thread;
  }
  if (situation.must_yield) priority_of(situation.current) = kChangedMin - ++dropped_;
  const Pending* highest = nullptr;
  for (const Pending& other : pending) {
    if (other.offer != Offer::Ready) continue;
    if (highest == nullptr || priority_of(other.thread) > priority_of(highest->thread)) highest = &other;
  }
  return highest->thread;
}

// Priorities are drawn in order of thread creation, so that the order of the first lookups does not matter.
std::uint64_t& PctStrategy::priority_of(ThreadId thread) {
  while (threads_ <= number(thread)) priorities_[threads_++] = kDrawnMin | random_.next();
  return priorities_[number(thread)];
}

void PctStrategy::pass_change_points(const Situation& situation, bool lower) {
  next_change_ = kNever;
  for (std::uint32_t i = 0; i < change_count_; ++i) {
    if (change_steps_[i] <= situation.step) {
      if (lower) priority_of(situation.current) = kChangedMin + i;
      change_steps_[i] = kNever;
    } else if (change_steps_[i] < next_change_) {
      next_change_ = change_steps_[i];
    }
  }
}

}  // namespace heddle::schedule
