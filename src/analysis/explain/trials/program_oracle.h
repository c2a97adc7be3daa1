#pragma once
// Where schedules are tried: a program, the failure that is to be explained, and the means to execute the program in
// any order of its events.
#include <algorithm>
#include <chrono>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "binary/image/core_image.h"
#include "experiment/failure_matcher.h"
#include "experiment/trial_runner.h"
#include "explain/recording/recording.h"
#include "explain/trials/trial_oracle.h"
#include "run/interrupt.h"
#include "run/process/fork_server.h"
#include "run/run_options.h"
#include "run/runner.h"
#include "support/result.h"

namespace heddle::explain {

class ProgramOracle final : public TrialOracle {
 public:
  // `options` are those of the clip's run. REQUIRES: no InterruptGuard lives.
  static Result<std::unique_ptr<ProgramOracle>> open(const run::RunOptions& options, std::chrono::milliseconds time);

  Result<Attempt> attempt(const experiment::Turns& order, std::size_t turns_needed) override;
  Result<Recording> record(const experiment::Turns& order) override;
  // The clip's own run.
  Result<Recording> record_inputs(const run::RunOptions& options, const run::SessionInputs& inputs);
  // The same with every record given to `sink`; `flags` say which beyond events. `result`: what the runtime said at its
  // end.
  Result<experiment::Trial> observe(const experiment::Turns& order, std::uint32_t flags, run::RingSink& sink);
  const format::SessionResult& result() const { return apart_.last_result(); }
  std::vector<binary::SourceFrame> stack_before(const experiment::Turns& order, ThreadId thread,
                                                std::uint64_t done) override;
  Result<binary::CoreImage> freeze(const experiment::Turns& order, std::uint64_t step) override;

  // The signature by which the failure is known.
  void set_failure(const run::Outcome& failure) { matcher_ = experiment::FailureMatcher(failure); }
  // What makes many more steps than the failing run does not end.
  void set_steps_max(std::uint64_t steps_max) {
    options_.steps_max = options_.steps_max == 0 ? steps_max : std::min(options_.steps_max, steps_max);  // 0: no bound
  }
  ThreadNumbers& threads() override { return threads_; }
  run::Runner& runner() { return runner_; }
  const binary::ProgramFile& program() const override { return program_; }
  // Whom experiments wake, in order.
  void set_choices(std::vector<ThreadId> choices) { choices_ = std::move(choices); }
  // From now on every trial is a process of its own, as the clip's run is: slower, and alike down to what is left in
  // freed memory.
  void run_apart() { trials_runner_.run_apart(); }
  bool time_is_up() const override { return options_.stop.stop_requested(); }
  std::uint32_t trials() const { return trials_; }

 private:
  ProgramOracle(run::RunOptions options, binary::ProgramFile program);
  experiment::Schedule schedule_of(const experiment::Turns& order) const;
  experiment::TrialSettings settings(std::uint32_t flags = 0) const {
    return {.steps_max = options_.steps_max, .flags = flags};
  }

  run::InterruptGuard guard_;
  run::RunOptions options_;
  const binary::ProgramFile program_;
  run::Runner runner_;
  experiment::TrialRunner trials_runner_;
  experiment::TrialRunner apart_;  // for what a fork server does not record
  experiment::FailureMatcher matcher_{run::Outcome{}};
  ThreadNumbers threads_;
  std::vector<ThreadId> choices_;
  std::uint32_t trials_ = 0;
};

}  // namespace heddle::explain
