#include "trace/sharing/fork_join_order.h"

#include <algorithm>

#include "support/check.h"

namespace heddle::trace {
namespace {

void raise(std::vector<ForkJoinOrder::Segment>& clock, ThreadId thread, ForkJoinOrder::Segment segment) {
  if (clock.size() <= number(thread)) clock.resize(number(thread) + 1);
  clock[number(thread)] = std::max(clock[number(thread)], segment);
}

}  // namespace

ForkJoinOrder::Segment ForkJoinOrder::segment(ThreadId thread) const {
  return number(thread) < clocks_.size() ? clocks_[number(thread)].segment : Clock{}.segment;
}

bool ForkJoinOrder::ordered(ThreadId earlier, Segment segment, ThreadId now) const {
  if (earlier == now) return true;
  if (number(now) >= clocks_.size()) return false;
  const std::vector<Segment>& before = clocks_[number(now)].before;
  return number(earlier) < before.size() && before[number(earlier)] >= segment;
}

void ForkJoinOrder::fork(ThreadId parent, ThreadId child) {
  clock_of(std::max(parent, child));
  Clock& of_parent = clock_of(parent);
  Clock& of_child = clock_of(child);
  if (parent == child) return;
  of_child.before = of_parent.before;
  raise(of_child.before, parent, of_parent.segment);
  ++of_parent.segment;
}

void ForkJoinOrder::join(ThreadId waiter, ThreadId ended) {
  clock_of(std::max(waiter, ended));
  Clock& of_waiter = clock_of(waiter);
  Clock& of_ended = clock_of(ended);
  if (waiter == ended) return;
  // Frees the clock of the ended thread, because a run may have any number of short threads.
  const std::vector<Segment> before = std::move(of_ended.before);
  of_ended.before.clear();
  if (of_waiter.before.size() < before.size()) of_waiter.before.resize(before.size());
  for (std::size_t thread = 0; thread < before.size(); ++thread) {
    of_waiter.before[thread] = std::max(of_waiter.before[thread], before[thread]);
  }
  raise(of_waiter.before, ended, of_ended.segment);
  ++of_waiter.segment;
}

bool ForkJoinOrder::add(const Event& event) {
  const bool forks = event.kind == format::EventKind::Fork;
  if (!forks && event.kind != format::EventKind::Join) return false;
  if (!has_succeeded(event) || number(event.thread) >= kThreadsMax || event.object >= kThreadsMax) return false;
  const ThreadId other{static_cast<std::uint32_t>(event.object)};
  forks ? fork(event.thread, other) : join(event.thread, other);
  return true;
}

ForkJoinOrder::Clock& ForkJoinOrder::clock_of(ThreadId thread) {
  HEDDLE_CHECK(number(thread) < kThreadsMax);
  if (clocks_.size() <= number(thread)) clocks_.resize(number(thread) + 1);
  return clocks_[number(thread)];
}

}  // namespace heddle::trace
