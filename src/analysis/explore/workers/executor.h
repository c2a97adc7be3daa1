#pragma once
#include <memory>
#include <optional>
#include <span>
#include <unordered_set>
#include <vector>

#include "experiment/trial_runner.h"
#include "explore/profile/profile.h"
#include "explore/workers/checkpoints.h"

namespace heddle::explore {

// Makes the runs of one worker with two trial runners: one with the current armed set, and one with everything armed,
// for profiles. Keeps what the runs share: checkpoints and covered pairs.
class Executor {
 public:
  Executor(const binary::ProgramFile& program, int processor) : program_(program), processor_(processor) {}

  // Starts the trial runner of the following runs, and ends the previous one. `systematic`: log decisions.
  Status begin(const run::RunOptions& options, std::uint32_t hosts, bool systematic);

  struct Made {
    experiment::Trial trial;
    std::uint64_t steps = 0;        // executed
    std::uint64_t steps_saved = 0;  // skipped by resuming from a checkpoint
    double seconds = 0;
  };
  Result<Made> run(const run::SessionInputs& inputs, bool use_checkpoints);
  // Runs all repeats of `inputs` inside one process, up to the first failure.
  struct Repeated {
    Made made;                          // of the process
    std::uint64_t finished = 0;         // runs that passed
    std::vector<std::uint64_t> states;  // of the runs that passed
  };
  Result<Repeated> run_repeated(const run::SessionInputs& inputs);
  // Runs with everything armed, observed by `profiler`.
  Result<Made> run_profiled(const run::RunOptions& options, const run::SessionInputs& inputs, Profiler& profiler);

  // Modules and stacks of the last run.
  const format::SessionResult& last_result() const { return last_->last_result(); }
  struct DecisionLog {
    std::span<const std::uint64_t> words;
    bool overflown = true;
  };
  // Of the last run.
  DecisionLog decision_log() const;
  // The covered pairs of all runs; 0 entries are free slots.
  std::vector<std::uint64_t> pairs() const;
  std::uint64_t pair_count() const;

 private:
  Result<Made> execute(experiment::TrialRunner& trials, const run::SessionInputs& inputs, experiment::TrialHooks hooks);

  const binary::ProgramFile& program_;
  int processor_;
  run::Runner runner_;
  std::unique_ptr<experiment::TrialRunner> trials_;
  std::unique_ptr<Checkpoints> checkpoints_;
  std::unique_ptr<experiment::TrialRunner> profiled_;
  const experiment::TrialRunner* last_ = nullptr;
  std::unordered_set<std::uint64_t> pairs_alone_;  // pairs of all runs with a process of their own
  std::vector<std::uint64_t> log_alone_;           // of the last such run
  bool log_alone_overflown_ = false;
};

}  // namespace heddle::explore
