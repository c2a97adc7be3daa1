#pragma once
#include <memory>
#include <optional>
#include <span>
#include <unordered_set>
#include <utility>
#include <vector>

#include "explore/workers/checkpoints.h"
#include "explore/profile/profile.h"
#include "run/process/fork_server.h"
#include "binary/program_file.h"
#include "run/runner.h"

namespace heddle::explore {

// Makes the runs of one worker: copies of a fork server where there can be one, else a new process for each.
class Executor {
 public:
  Executor(const binary::ProgramFile& program, int processor) : program_(program), processor_(processor) {}

  // Everything that the following runs have in common. What was started before is ended.
  Status begin(const run::RunOptions& options, std::uint32_t hosts, bool systematic);

  struct Made {
    run::ServedRun run;
    std::uint64_t steps = 0;        // that were executed for it
    std::uint64_t steps_saved = 0;  // that a checkpoint had made already
    std::uint64_t failure_key = 0;  // the same for the same kind of failure at the same place
  };
  Result<Made> run(const run::SessionInputs& inputs, bool use_checkpoints);
  // As many runs as `inputs` has repeats, inside one process: up to the first that fails. `made` is that of the process.
  struct Repeated {
    Made made;
    std::uint64_t finished = 0;              // runs that ended well
    std::vector<std::uint64_t> states;       // theirs
  };
  Result<Repeated> run_repeated(const run::SessionInputs& inputs);
  // With everything armed, and heard by `profiler`.
  Result<Made> run_profiled(const run::RunOptions& options, const run::SessionInputs& inputs, Profiler& profiler);

  // All about the last run, if it had a process of its own.
  std::optional<run::RunReport> take_report() { return std::exchange(report_, std::nullopt); }
  // Of the last run; modules, stacks.
  const format::SessionResult& last_result() const;
  std::span<const std::uint64_t> decision_log() const;
  bool log_overflown() const;
  // The pairs of sites that all runs have met; 0 means nothing.
  std::vector<std::uint64_t> pairs() const;
  std::uint64_t pair_count() const;

 private:
  Result<Made> run_alone(const run::RunOptions& options, const run::SessionInputs& inputs);

  const binary::ProgramFile& program_;
  int processor_;
  run::RunOptions options_;
  std::unique_ptr<run::ForkServer> server_;
  std::unique_ptr<Checkpoints> checkpoints_;
  std::unique_ptr<run::ForkServer> profile_server_;
  const run::ForkServer* last_server_ = nullptr;
  run::Runner runner_;
  std::unordered_set<std::uint64_t> pairs_alone_;  // of all runs with a process of their own
  std::optional<run::RunReport> report_;
};

}  // namespace heddle::explore
