#pragma once
#include <algorithm>
#include <chrono>
#include <cstdint>
#include <memory>
#include <vector>

#include "experiment/failure_matcher.h"
#include "experiment/trial_runner.h"
#include "explain/trials/trial_oracle.h"
#include "run/interrupt.h"

namespace heddle::explain {

// Executes one program in the orders that an explanation asks for. Attempts are copies of a fork server, because there
// are hundreds of them. Recordings and other observed runs each have a process of their own, since a fork server
// records neither a trace file nor memory. All runs wake the same threads (set_choices()) and have the same bounds.
// INVARIANT: a thread has the same ThreadId in all recordings of one oracle.
class ProgramOracle final : public TrialOracle {
 public:
  // `options`: of the clip's run. `time`: until time_is_up(). REQUIRES: no InterruptGuard exists.
  static Result<std::unique_ptr<ProgramOracle>> open(const run::RunOptions& options, std::chrono::milliseconds time);

  Result<Attempt> attempt(const experiment::Turns& order, std::size_t turns_needed) override;
  Result<Recording> record(const experiment::Turns& order) override;
  // Records a run of another strategy.
  Result<Recording> record_inputs(const run::RunOptions& options, const run::SessionInputs& inputs);
  // Records a replay of the clip. Fails if the replay diverges or the program passes.
  Result<Recording> record_replay(run::RunOptions options, format::StrategyKind strategy,
                                  const run::SessionInputs& inputs);
  // Executes the order and passes its ring to `sink`. `flags`: what to record besides events.
  Result<experiment::Trial> observe(const experiment::Turns& order, std::uint32_t flags, run::RingSink& sink);
  // The runtime's result of the last attempt or observed run.
  const format::SessionResult& result() const { return trial_runner_.last_result(); }
  std::vector<binary::SourceFrame> stack_before(const experiment::Turns& order, ThreadId thread,
                                                std::uint64_t done) override;
  Result<binary::CoreImage> freeze(const experiment::Turns& order, std::uint64_t step) override;

  // The failure to explain; its signature is known.
  void set_failure(const run::Outcome& failure) { matcher_ = experiment::FailureMatcher(failure); }
  // Bounds the steps of a run. A bound in the options remains if it is lower; 0 there means none.
  void set_steps_max(std::uint64_t steps_max) {
    options_.steps_max = options_.steps_max == 0 ? steps_max : std::min(options_.steps_max, steps_max);
  }
  ThreadNumbers& threads() override { return threads_; }
  run::Runner& runner() { return runner_; }
  const binary::ProgramFile& program() const override { return program_; }
  // The threads that wake-ups with several waiters wake, in order.
  void set_choices(std::vector<ThreadId> choices) { choices_ = std::move(choices); }
  // Gives each later attempt a process of its own (TrialRunner::run_apart()).
  void run_apart() { trial_runner_.run_apart(); }
  bool time_is_up() const override { return options_.stop.stop_requested(); }
  std::uint32_t trials() const { return trials_; }

 private:
  ProgramOracle(run::RunOptions options, binary::ProgramFile program);
  experiment::Schedule schedule_of(const experiment::Turns& order) const;

  run::InterruptGuard guard_;
  run::RunOptions options_;
  const binary::ProgramFile program_;
  run::Runner runner_;
  experiment::TrialRunner trial_runner_;
  experiment::FailureMatcher matcher_{run::Outcome{}};
  ThreadNumbers threads_;
  std::vector<ThreadId> choices_;
  std::uint32_t trials_ = 0;
};

}  // namespace heddle::explain
