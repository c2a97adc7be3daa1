#pragma once
#include <cstdint>
#include <optional>
#include <span>

#include "format/run_inputs.h"
#include "format/run_result.h"
#include "schedule/strategy.h"

namespace heddle::schedule {

// Replays a recorded execution exactly, and detects the first step at which the program behaves differently.
//
// A recording is a list of runs. In each run one thread passes a number of points; then it was preempted at the last of
// them, or it blocked or terminated after them (`forced`). At the end of every run but the last the strategy compares
// the number of points, how the run ended, and the low half of the event hash. The last run has no recorded end,
// because the program ended there. After the last run the schedule is sequential.
//
// There is no choice at the last point of a forced run: the thread must pass that point to reach the operation in which
// it blocks. A difference sets divergence(), and from then on choose() returns nullopt.
class ReplayStrategy final : public StrategyOf<ReplayStrategy> {
 public:
  enum class Cause : std::uint8_t {
    NotRunnable,     // the thread of the next run is not runnable, or does not exist
    StoppedEarly,    // the thread blocked or terminated before it had passed its points
    DidNotBlock,     // the recorded thread blocked or terminated here; this one continued
    BlockedInstead,  // the recorded thread was preempted here; this one blocked or terminated
    HashDiffers,     // the thread reached the end of the run, but its events differ
    NotWaiting,      // the thread to be woken is not waiting
  };
  struct Divergence {
    Cause cause;
    std::uint64_t run;              // index of the current run
    std::uint32_t expected_thread;  // descent
  };

  ReplayStrategy(std::span<const format::ReplayRun> runs, std::span<const std::uint32_t> choices,
                 ThreadOfDescent thread_of)
      : runs_(runs), choices_(choices), thread_of_(thread_of) {}

  std::optional<ThreadId> choose(const Situation& situation, std::span<const Pending> pending) override;
  std::uint64_t points_until_choice() override;

  // The thread of the next run; kNoThread: there is no next run, or the thread has not been created.
  ThreadId next_thread() const { return run_ + 1 < runs_.size() ? thread_of_(runs_[run_ + 1].thread) : kNoThread; }

  // True if the current thread blocked at this step in the recording. nullopt: this is the last run, whose end was
  // not recorded.
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
  std::size_t run_ = 0;  // index of the current run
  std::size_t next_choice_ = 0;
  std::uint64_t run_begin_step_ = 0;
  std::optional<Divergence> divergence_;
};

// A sentence without thread names, which only the host knows.
const char* describe(ReplayStrategy::Cause cause);

}  // namespace heddle::schedule
