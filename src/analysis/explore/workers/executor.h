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

// Makes the runs of one worker, and knows what they have in common: armed sites, checkpoints, covered pairs.
class Executor {
 public:
  Executor(const binary::ProgramFile& program, int processor) : program_(program), processor_(processor) {}

  // Everything that the following runs have in common. What was started before is ended.
  Status begin(const run::RunOptions& options, std::uint32_t hosts, bool systematic);

  struct Made {
    experiment::Trial trial;
    std::uint64_t steps = 0;        // that were executed for it
    std::uint64_t steps_saved = 0;  // that a checkpoint had made already
  };
  Result<Made> run(const run::SessionInputs& inputs, bool use_checkpoints);
  // As many runs as `inputs` has repeats, inside one process: up to the first that fails. `made` is that of the
  // process.
  struct Repeated {
    Made made;
    std::uint64_t finished = 0;         // runs that ended well
    std::vector<std::uint64_t> states;  // theirs
  };
  Result<Repeated> run_repeated(const run::SessionInputs& inputs);
  // With everything armed, and observed by `profiler` where there can be a fork server.
  Result<Made> run_profiled(const run::RunOptions& options, const run::SessionInputs& inputs, Profiler& profiler);

  // Of the last run; modules, stacks.
  const format::SessionResult& last_result() const { return last_->last_result(); }
  std::span<const std::uint64_t> decision_log() const;
  bool log_overflown() const;
  // The pairs of sites that all runs have met; 0 means nothing.
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
  std::unordered_set<std::uint64_t> pairs_alone_;  // of all runs with a process of their own
};

}  // namespace heddle::explore
