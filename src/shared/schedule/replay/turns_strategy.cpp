#include "schedule/replay/turns_strategy.h"

#include "schedule/pending_threads.h"

namespace heddle::schedule {
namespace {

constexpr unsigned kBlocksBits = 20;

std::uint64_t progress_of(std::uint64_t points, std::uint64_t blocks) { return points << kBlocksBits | blocks; }
std::uint64_t points_of(std::uint64_t progress) { return progress >> kBlocksBits; }

}  // namespace

TurnsStrategy::TurnsStrategy(const Inputs& inputs, ReusableTable<std::uint64_t>& progress)
    : inputs_(inputs), progress_(progress), last_step_(inputs.begin_step) {
  progress_[number(kMainThread)] = progress_of(inputs.begin_step, 0);
  if (!inputs_.turns.empty() && inputs_.thread_of(inputs_.turns[0].thread) == kMainThread) turn_ = &inputs_.turns[0];
}

std::optional<ThreadId> TurnsStrategy::choose(const Situation& situation, std::span<const Pending> pending) {
  if (situation.question == Question::Wake)
    return choose_woken(inputs_.choices, next_choice_, inputs_.thread_of, pending);
  progress_[number(situation.current)] = progress_at(situation);
  last_step_ = situation.step;
  running_ = situation.current;
  if (continues(situation)) return situation.current;
  ThreadId chosen = kNoThread;
  turn_ = find_turn(pending, chosen);
  if (turn_ == nullptr) {
    if (situation.current_runnable && !situation.must_yield) return situation.current;
    chosen = situation.must_yield ? next_in_cycle(pending, situation.current) : lowest(pending);
  }
  running_ = chosen;
  return chosen;
}

std::uint64_t TurnsStrategy::progress_at(const Situation& situation) const {
  std::uint64_t progress = progress_[number(situation.current)];
  const std::uint64_t made_now = situation.step - last_step_;
  if (made_now != 0) progress = progress_of(points_of(progress) + made_now, 0);
  if (!situation.current_runnable && !situation.must_yield) ++progress;
  return progress;
}

TurnsStrategy::Planned TurnsStrategy::planned(const Situation& situation) const {
  const std::uint64_t progress = progress_at(situation);
  if (situation.current_runnable || situation.must_yield) {
    if (turn_ == nullptr || progress < end_of(*turn_) || turn_->forced != 0) return {};
  }
  for (std::size_t i = first_; i < inputs_.turns.size(); ++i) {
    const ThreadId candidate = inputs_.thread_of(inputs_.turns[i].thread);
    if (candidate == kNoThread) continue;
    if ((candidate == situation.current ? progress : progress_[number(candidate)]) < end_of(inputs_.turns[i]))
      return {candidate, i};
  }
  return {};
}

std::optional<bool> TurnsStrategy::blocks_at(std::uint64_t step) const {
  if (turn_ == nullptr) return std::nullopt;
  const std::uint64_t made_now = step - last_step_;
  const std::uint64_t before = progress_[number(running_)];
  const std::uint64_t progress = made_now == 0 ? before : progress_of(points_of(before) + made_now, 0);
  if (progress >= end_of(*turn_)) return std::nullopt;
  return turn_->forced != 0 && turn_->points == points_of(progress);
}

bool TurnsStrategy::continues(const Situation& situation) {
  if (!situation.current_runnable && !situation.must_yield) return false;
  if (turn_ != nullptr && !made(*turn_, situation.current)) return true;  // before fairness
  return !situation.must_yield && (turn_ == nullptr || turn_->forced != 0);
}

const format::ReplayRun* TurnsStrategy::find_turn(std::span<const Pending> pending, ThreadId& thread) {
  bool all_made = true;
  for (std::size_t i = first_; i < inputs_.turns.size(); ++i) {
    const ThreadId candidate = inputs_.thread_of(inputs_.turns[i].thread);
    if (candidate == kNoThread) {
      all_made = false;
      continue;
    }
    if (made(inputs_.turns[i], candidate)) {
      if (all_made) first_ = i + 1;
      continue;
    }
    all_made = false;
    if (find_pending(pending, candidate) == nullptr) continue;
    thread = candidate;
    return &inputs_.turns[i];
  }
  return nullptr;
}

std::uint64_t TurnsStrategy::end_of(const format::ReplayRun& turn) {
  return progress_of(turn.points, turn.forced != 0 ? turn.check : 0);
}

bool TurnsStrategy::made(const format::ReplayRun& turn, ThreadId thread) const {
  return progress_[number(thread)] >= end_of(turn);
}

std::uint64_t TurnsStrategy::points_until_choice() {
  if (turn_ == nullptr || turn_->forced != 0) return ~std::uint64_t{0};
  const std::uint64_t points = points_of(progress_[number(running_)]);
  return turn_->points > points ? turn_->points - points : 1;
}

}  // namespace heddle::schedule
