#include "schedule/replay/guided_strategy.h"

#include "schedule/pending_threads.h"

namespace heddle::schedule {
namespace {

// A predicted order may end a sleep early, which changes nothing else. It does not let another wait time out: the
// thread was woken in the recorded run.
bool can_begin(const Pending* thread) {
  return thread != nullptr && (thread->offer != Offer::Early || thread->kind == format::EventKind::Sleep);
}

}  // namespace

GuidedStrategy::GuidedStrategy(const Inputs& inputs, ReusableTable<std::uint64_t>& made)
    : inputs_(inputs),
      run_begin_step_(inputs.begin_step),
      made_(made),
      counted_step_(inputs.begin_step),
      random_(inputs.tail_seed),
      tail_(inputs.tail_quantum == 0 ? 1 : inputs.tail_quantum) {
  made_[number(kMainThread)] = inputs.begin_step;
}

std::uint64_t GuidedStrategy::done_of(ThreadId thread, std::uint64_t step) {
  return inputs_.totals ? made_[number(thread)] : step - run_begin_step_;
}

std::optional<ThreadId> GuidedStrategy::choose(const Situation& situation, std::span<const Pending> pending) {
  if (situation.question == Question::Wake)
    return choose_woken(inputs_.choices, next_choice_, inputs_.thread_of, pending);
  made_[number(situation.current)] += situation.step - counted_step_;
  counted_step_ = situation.step;
  if (abandoned_ || followed()) return choose_afterwards(situation, pending);
  const std::uint64_t done = done_of(situation.current, situation.step);
  const std::uint64_t wanted = target(inputs_.runs[run_]);
  // The schedule has precedence over fairness.
  if ((situation.current_runnable || situation.must_yield) && done < wanted) return situation.current;
  if (done + 1 < wanted) {
    abandoned_ = true;
    return choose_afterwards(situation, pending);
  }
  ++run_;
  return begin_run(situation, pending);
}

std::optional<ThreadId> GuidedStrategy::begin_run(const Situation& situation, std::span<const Pending> pending) {
  run_begin_step_ = situation.step;
  while (inputs_.totals && !followed()) {
    const ThreadId thread = inputs_.thread_of(inputs_.runs[run_].thread);
    if (thread == kNoThread || made_[number(thread)] < inputs_.runs[run_].points) break;
    ++run_;  // the thread has already passed these points
  }
  if (followed()) return choose_afterwards(situation, pending);
  const ThreadId next = inputs_.thread_of(inputs_.runs[run_].thread);
  running_ = next;
  if (next != kNoThread && can_begin(find_pending(pending, next))) return next;
  abandoned_ = true;
  return choose_afterwards(situation, pending);
}

ThreadId GuidedStrategy::choose_afterwards(const Situation& situation, std::span<const Pending> pending) {
  if (tail_is_random()) return draw_next(situation, pending, random_);
  if (situation.current_runnable && !situation.must_yield) return situation.current;
  return situation.must_yield ? next_in_cycle(pending, situation.current) : lowest(pending);
}

std::uint64_t GuidedStrategy::points_until_choice() {
  if (abandoned_ || followed()) return tail_is_random() ? tail_.draw(random_) : ~std::uint64_t{0};
  const std::uint64_t wanted = target(inputs_.runs[run_]);
  const std::uint64_t done = inputs_.totals ? made_[number(running_)] : 0;
  return wanted > done ? wanted - done : 1;
}

}  // namespace heddle::schedule
