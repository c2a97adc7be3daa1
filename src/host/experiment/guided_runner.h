#pragma once
#include <cstdint>
#include <memory>

#include "run/process/fork_server.h"
#include "run/runner.h"

namespace heddle::experiment {

struct GuidedRun {
  run::Outcome outcome;  // without a signature
  bool interrupted = false;
  std::uint32_t runs_made = 0;  // of the schedule
};

// Executes schedules that were made up (StrategyKind::Guided), one after the other: as copies of a fork server, or, where
// there cannot be one, each in a process of its own. REQUIRES: an InterruptGuard lives as long as this.
class GuidedRunner {
 public:
  // `hosts`: threads that a run is expected to make. `program` and `options` must outlive this.
  GuidedRunner(const binary::ProgramFile& program, const run::RunOptions& options, std::uint32_t hosts)
      : program_(program), options_(options), hosts_(hosts) {}

  // Points that main has made before a run begins to be heard. Fails when the program cannot be started.
  Result<std::uint64_t> base_step();
  // `listener` hears every event; nullptr: nobody does.
  Result<GuidedRun> run(const run::SessionInputs& inputs, run::RingSink* listener);

 private:
  bool is_served() const;

  const binary::ProgramFile& program_;
  const run::RunOptions& options_;
  const std::uint32_t hosts_;
  std::unique_ptr<run::ForkServer> server_;
  run::Runner runner_;
};

}  // namespace heddle::experiment
