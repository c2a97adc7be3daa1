#include "schedule/policy/systematic_strategy.h"

#include "schedule/pending_threads.h"

namespace heddle::schedule {
namespace {

template <typename Record>
std::uint64_t* append(std::uint64_t* end, const Record& record) {
  __builtin_memcpy(end, &record, sizeof record);
  return end + sizeof record / sizeof *end;
}

constexpr std::size_t kPendingMax = 0xffff;  // DecisionRecord::count

constexpr std::uint64_t log_words_of(std::size_t pending) {
  return (sizeof(format::DecisionRecord) + pending * sizeof(format::PendingRecord)) / sizeof(std::uint64_t);
}

}  // namespace

SystematicStrategy::SystematicStrategy(const Inputs& inputs) : inputs_(inputs), step_(inputs.begin_step) {
  while (!all_made() && inputs_.deviations[next_].step < inputs.begin_step) ++next_;
  if (inputs_.log != nullptr) *inputs_.log = {};
}

std::optional<ThreadId> SystematicStrategy::choose(const Situation& situation, std::span<const Pending> pending) {
  nth_ = asked_ && situation.step == step_ ? nth_ + 1 : 0;
  step_ = situation.step;
  asked_ = true;
  if (all_made()) {
    const ThreadId chosen = default_choice(situation, pending);
    log(situation, pending, chosen);
    return chosen;
  }
  const format::Deviation& next = inputs_.deviations[next_];
  if (next.step == step_ && next.nth == nth_) return deviate(pending);
  if (next.step < step_ || (next.step == step_ && next.nth < nth_)) return std::nullopt;
  return default_choice(situation, pending);
}

std::uint64_t SystematicStrategy::points_until_choice() {
  // A copy of a process may start at the step of its next deviation; then the current point needs a choice.
  const std::uint64_t soonest = asked_ ? 1 : 0;
  if (all_made()) return soonest;
  const std::uint64_t next = inputs_.deviations[next_].step;
  return next <= step_ + soonest ? soonest : next - step_;
}

std::optional<ThreadId> SystematicStrategy::deviate(std::span<const Pending> pending) {
  const ThreadId wanted{inputs_.deviations[next_++].thread};
  return is_among(pending, wanted) ? std::optional(wanted) : std::nullopt;
}

ThreadId SystematicStrategy::default_choice(const Situation& situation, std::span<const Pending> pending) const {
  if (situation.question == Question::Wake) return pending.front().thread;
  if (situation.current_runnable) return situation.current;
  const bool in_cycle = situation.must_yield || inputs_.order == DefaultOrder::NextInCycle;
  return in_cycle ? next_in_cycle(pending, situation.current) : lowest(pending);
}

void SystematicStrategy::log(const Situation& situation, std::span<const Pending> pending, ThreadId chosen) {
  if (pending.size() < 2 || inputs_.log == nullptr || inputs_.log->overflown != 0) return;
  if (pending.size() > kPendingMax || log_words_of(pending.size()) > inputs_.log_words.size() - logged_) {
    inputs_.log->overflown = 1;
    return;
  }
  std::uint64_t* end =
      append(inputs_.log_words.data() + logged_,
             format::DecisionRecord{situation.step, situation.state, nth_, number(situation.current), number(chosen),
                                    static_cast<std::uint16_t>(pending.size()),
                                    static_cast<std::uint8_t>(situation.question), situation.current_runnable});
  for (const Pending& one : pending) {
    end = append(end, format::PendingRecord{
                          number(one.thread), number(one.site), one.object, one.kind, one.offer == Offer::Early, {}});
  }
  // The count is updated after the whole record: the program may be killed at any time.
  logged_ += log_words_of(pending.size());
  inputs_.log->words = logged_;
}

}  // namespace heddle::schedule
