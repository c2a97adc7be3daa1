#pragma once
#include <cstdint>
#include <optional>
#include <span>

#include "format/run_inputs.h"
#include "format/run_result.h"
#include "schedule/strategy.h"

namespace heddle::schedule {

// The thread with this descent, an index into the session's descents; kNoThread while it has not been created.
using ThreadOfDescent = ThreadId (*)(std::uint32_t descent);

// Exactly the given runs and choices: the same program does the same again, and the first step at which it does not is
// found. After the last run it goes on sequentially.
class ReplayStrategy final : public StrategyOf<ReplayStrategy> {
 public:
  enum class Cause : std::uint8_t {
    NotRunnable,     // the thread of the next run cannot go on, or does not exist
    StoppedEarly,    // the thread blocked or ended before its points were used up
    WentOn,          // the thread did not block or end where it had
    BlockedInstead,  // the thread blocked or ended at the point where it had been stopped
    HashDiffers,     // it came to the end of the run having done something else
    NotWaiting,      // the thread to be woken does not wait
  };
  struct Divergence {
    Cause cause;
    std::uint64_t run;              // index of the run that was under way
    std::uint32_t expected_thread;  // descent
  };

  ReplayStrategy(std::span<const format::ReplayRun> runs, std::span<const std::uint32_t> choices,
                 ThreadOfDescent thread_of)
      : runs_(runs), choices_(choices), thread_of_(thread_of) {}

  std::optional<ThreadId> choose(const Situation& situation, std::span<const Pending> pending) override;
  std::uint64_t points_until_choice() override;

  // Who has the turn after the run that is under way; kNoThread: nobody is recorded, or it has not been created.
  ThreadId next_thread() const {
    return run_ + 1 < runs_.size() ? thread_of_(runs_[run_ + 1].thread) : kNoThread;
  }

  // Whether the thread that has the turn blocked, in the recorded run, at the point where it is now. nullopt: it is in
  // the last run, of which nobody knows how it would have gone on.
  std::optional<bool> blocked_at(std::uint64_t step) const {
    if (in_last_run()) return std::nullopt;
    return runs_[run_].forced != 0 && step - run_begin_step_ == runs_[run_].points;
  }

  // Set once choose() has returned nullopt.
  const std::optional<Divergence>& divergence() const { return divergence_; }

 private:
  std::optional<ThreadId> choose_woken(std::span<const Pending> pending);
  std::optional<ThreadId> begin_next_run(const Situation& situation, std::span<const Pending> pending);
  std::optional<Cause> find_difference(const Situation& situation, const format::ReplayRun& run) const;
  std::optional<ThreadId> diverge(Cause cause, std::uint32_t expected_thread);
  bool in_last_run() const { return run_ + 1 >= runs_.size(); }

  std::span<const format::ReplayRun> runs_;
  std::span<const std::uint32_t> choices_;
  ThreadOfDescent thread_of_;
  std::size_t run_ = 0;  // the one under way
  std::size_t next_choice_ = 0;
  std::uint64_t run_begin_step_ = 0;
  std::optional<Divergence> divergence_;
};

// A sentence without its end: "thread 0.2 ..." is for whoever knows the names.
const char* describe(ReplayStrategy::Cause cause);

}  // namespace heddle::schedule
