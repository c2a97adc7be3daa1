#pragma once
// Where schedules are tried: a program, the failure that is to be explained, and the means to execute the program in any
// order of its events.
#include <algorithm>
#include <chrono>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "binary/image/core_image.h"
#include "experiment/schedule.h"
#include "explain/recording/recording.h"
#include "run/process/fork_server.h"
#include "run/interrupt.h"
#include "run/run_options.h"
#include "run/runner.h"
#include "support/result.h"

namespace heddle::explain {

enum class Ending : std::uint8_t {
  Fails,     // as the clip does: same kind, same signature
  Passes,    // the program ended well
  Otherwise  // another failure
};

struct Trial {
  Ending ending = Ending::Otherwise;
  bool followed = false;  // as far as was asked for
};

class Laboratory {
 public:
  // `options` are those of the clip's run. REQUIRES: no InterruptGuard lives.
  static Result<std::unique_ptr<Laboratory>> open(const run::RunOptions& options,
                                                  std::chrono::milliseconds time);
  ~Laboratory();

  // One execution; `turns_needed` of the turns must have been followed for the trial to count.
  Result<Trial> attempt(const experiment::Turns& order, std::size_t turns_needed);
  // The same with everything recorded.
  Result<Recording> record(const experiment::Turns& order);
  // The clip's own run.
  Result<Recording> record_inputs(const run::RunOptions& options, const run::SessionInputs& inputs);
  // The same with every record told to `sink`; `flags` say which beyond events.
  Result<run::Execution> hear(const experiment::Turns& order, std::uint32_t flags, run::RingSink& sink);
  // The stack of `thread` when it is about to make the point after `done` of them; empty when it could not be stopped.
  std::vector<binary::SourceFrame> stack_before(const experiment::Turns& order, ThreadId thread, std::uint64_t done);

  // The program's memory when it makes its `step`-th point in this order.
  Result<binary::CoreImage> freeze(const experiment::Turns& order, std::uint64_t step);

  // The signature by which the failure is known.
  void set_failure(std::string signature) { signature_ = std::move(signature); }
  // What makes many more steps than the failing run does not end.
  void set_steps_max(std::uint64_t steps_max) {
    options_.steps_max = options_.steps_max == 0 ? steps_max : std::min(options_.steps_max, steps_max);  // 0: no bound
  }
  ThreadNumbers& threads() { return threads_; }
  run::Runner& runner() { return runner_; }
  const binary::ProgramFile& program() const { return program_; }
  // Whom experiments wake, in order.
  void set_choices(std::vector<ThreadId> choices) { choices_ = std::move(choices); }
  // From now on every trial is a process of its own, as the clip's run is: slower, and alike down to what is left in
  // freed memory.
  void run_apart() { runs_apart_ = true; }
  bool time_is_up() const { return options_.stop.stop_requested(); }
  std::uint32_t trials() const { return trials_; }

 private:
  Laboratory(run::RunOptions options, std::chrono::milliseconds time);
  Result<run::SessionInputs> inputs_for(const experiment::Turns& order) const;
  // A run of its own in this order; `configure` is given its session's configuration.
  template <typename Configure>
  Result<run::Execution> launch(const experiment::Turns& order, run::RingSink& sink, Configure configure);
  Status start_server();
  std::string signature_of(const run::Outcome& outcome);
  Ending judge(const run::Outcome& outcome, const std::string& signature) const;

  run::InterruptGuard guard_;
  run::RunOptions options_;
  binary::ProgramFile program_;
  std::string signature_;
  std::unique_ptr<run::ForkServer> server_;
  run::Runner runner_;
  ThreadNumbers threads_;
  std::vector<ThreadId> choices_;
  std::uint64_t base_step_ = 0;
  bool runs_apart_ = false;
  std::uint32_t trials_ = 0;
};

}  // namespace heddle::explain
