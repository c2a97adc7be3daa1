#include "schedule/replay/replay_strategy.h"

#include "schedule/pending_threads.h"

namespace heddle::schedule {

std::optional<ThreadId> ReplayStrategy::choose(const Situation& situation, std::span<const Pending> pending) {
  if (divergence_) return std::nullopt;
  if (situation.question == Question::Wake) return choose_woken(pending);
  if (run_ < runs_.size()) {
    const format::ReplayRun& run = runs_[run_];
    if (const std::optional<Cause> cause = find_difference(situation, run)) return diverge(*cause, run.thread);
    const bool asked_early = situation.current_runnable && situation.step - run_begin_step_ < run.points;
    if (!asked_early) return begin_next_run(situation, pending);
  }
  return situation.current_runnable ? situation.current : lowest(pending);
}

std::uint64_t ReplayStrategy::points_until_choice() {
  if (in_last_run()) return ~std::uint64_t{0};
  // A forced run has no choice at its last point: the thread must reach the operation in which it blocks.
  const std::uint64_t points = std::uint64_t{runs_[run_].points} + runs_[run_].forced;
  return points == 0 ? 1 : points;
}

std::optional<ReplayStrategy::Cause> ReplayStrategy::find_difference(const Situation& situation,
                                                                     const format::ReplayRun& run) const {
  const std::uint64_t points = situation.step - run_begin_step_;
  if (!situation.current_runnable && points < run.points) return Cause::StoppedEarly;
  // The last run has no recorded end to compare with.
  if (in_last_run()) return std::nullopt;
  if (!situation.current_runnable && run.forced == 0) return Cause::BlockedInstead;
  if (points > run.points) return Cause::DidNotBlock;
  if (points == run.points && situation.check != run.check) return Cause::HashDiffers;
  return std::nullopt;
}

std::optional<ThreadId> ReplayStrategy::begin_next_run(const Situation& situation, std::span<const Pending> pending) {
  ++run_;
  run_begin_step_ = situation.step;
  if (run_ == runs_.size()) return situation.current_runnable ? situation.current : lowest(pending);
  const ThreadId next = thread_of_(runs_[run_].thread);
  if (next == kNoThread || find_pending(pending, next) == nullptr) {
    return diverge(Cause::NotRunnable, runs_[run_].thread);
  }
  return next;
}

std::optional<ThreadId> ReplayStrategy::choose_woken(std::span<const Pending> pending) {
  if (next_choice_ == choices_.size()) return pending.front().thread;
  const std::uint32_t expected = choices_[next_choice_++];
  const ThreadId thread = thread_of_(expected);
  if (is_among(pending, thread)) return thread;
  return diverge(Cause::NotWaiting, expected);
}

std::optional<ThreadId> ReplayStrategy::diverge(Cause cause, std::uint32_t expected_thread) {
  divergence_ = Divergence{cause, run_, expected_thread};
  return std::nullopt;
}

const char* describe(ReplayStrategy::Cause cause) {
  switch (cause) {
    case ReplayStrategy::Cause::NotRunnable:
      return "the thread that should run next is not runnable";
    case ReplayStrategy::Cause::StoppedEarly:
      return "the thread blocked or terminated earlier than in the recording";
    case ReplayStrategy::Cause::DidNotBlock:
      return "the thread continued where the recorded one blocked or terminated";
    case ReplayStrategy::Cause::BlockedInstead:
      return "the thread blocked or terminated where the recorded one was preempted";
    case ReplayStrategy::Cause::HashDiffers:
      return "the events of the thread differ from the recording";
    case ReplayStrategy::Cause::NotWaiting:
      return "the thread that should be woken is not waiting";
  }
  return "";
}

}  // namespace heddle::schedule
