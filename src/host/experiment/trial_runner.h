#pragma once
// Runs schedules of one program and says how each run ended. Every analysis that tries schedules stands on this, so
// that all agree on where a run is made (a copy of a fork server, or a process of its own), on what --driver and
// --fails-if decide, on what ends a run that does not end by itself, and on when two failures are the same.
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>

#include "experiment/schedule.h"
#include "run/process/fork_server.h"
#include "run/runner.h"
#include "support/result.h"

namespace heddle::experiment {

// One run of a schedule and its outcome.
struct Trial {
  run::Outcome outcome;                // its signature only of a process of its own; see TrialRunner::described
  std::uint64_t failure_key = 0;       // see failure_key()
  bool interrupted = false;            // by a signal to us: it says nothing
  bool spun = false;                   // the watchdog ended it, in a loop that reaches no armed site
  format::SessionProgress progress{};  // at its end
  std::uint64_t steps = 0;             // that it made, without those before main
  std::uint32_t switches_met = 0;      // of a guided schedule
  run::Decisions decisions;  // with ServerOptions::collect_schedule, and of a process of its own without `report`
  std::optional<run::RunReport> report;  // of a process of its own: all about it, the decisions included

  const run::Decisions& made() const { return report ? report->decisions : decisions; }
};

// Who looks at a run, and from where it starts.
struct TrialHooks {
  run::RingSink* sink = nullptr;           // the ring: events with ServerOptions::record or the flags of the inputs
  run::SessionWatcher* watcher = nullptr;  // the session; `look` is called only in a process of its own
  std::uint32_t from_slot = 0;             // of a checkpoint: only where there is a fork server
  std::span<const run::CheckpointRequest> checkpoints{};
};

// What differs from run to run of one schedule.
struct TrialSettings {
  std::uint64_t steps_max = 0;    // 0: as the options say
  std::uint64_t fair_points = 0;  // 0: the default
  // REQUIRES: none of the following where there is a fork server, which is started with them.
  std::uint32_t flags = 0;           // what to record (format::SessionFlag)
  std::uint64_t freeze_descent = 0;  // as in format::SessionConfig
  std::uint64_t freeze_at = 0;
};

class TrialRunner {
 public:
  // All runs have the options in common; their strategy and seed are those of the inputs. `server`: what the runs show,
  // and what a fork server is started with. REQUIRES: `program` and `runner` outlive this; an InterruptGuard lives as
  // long.
  TrialRunner(const binary::ProgramFile& program, run::RunOptions options, const run::ServerOptions& server,
              run::Runner& runner)
      : program_(program), options_(std::move(options)), server_options_(server), runner_(runner) {}

  // Whether runs with these options can be copies of a fork server. A driver plays its part once, with one process.
  static bool can_serve(const run::RunOptions& options) {
    return options.engine == format::EngineKind::Fiber && options.driver.empty() && !options.native;
  }

  // Starts the fork server, if there can be one. The first run does it otherwise.
  Status start();
  // From now on every run is a process of its own, as the run of a clip is: slower, and equal down to what freed memory
  // holds.
  void run_apart();

  Result<Trial> run(const Schedule& schedule, const TrialSettings& settings = {}, const TrialHooks& hooks = {});
  // Any other strategy. What the options omit is omitted.
  Result<Trial> run(const run::SessionInputs& inputs, const TrialHooks& hooks = {});
  Result<Trial> run(const run::SessionInputs& inputs, const clip::Omitted& omitted, const TrialHooks& hooks = {});

  // nullptr: every run has a process of its own.
  run::ForkServer* server() const { return server_.get(); }
  // Points that main has made before a run is observed. REQUIRES: started.
  std::uint64_t base_step() const { return server_ != nullptr ? server_->base_step() : 0; }
  // Modules, stacks and thread states of the last run.
  const format::SessionResult& last_result() const {
    return server_ != nullptr ? server_->last_result() : runner_.last_result();
  }
  // The outcome of the last run with its signature, which takes debug information.
  run::Outcome described(const Trial& last) const;
  const run::RunOptions& options() const { return options_; }

 private:
  Result<Trial> run_served(const run::SessionInputs& inputs, const TrialHooks& hooks);
  Result<Trial> run_alone(const run::SessionInputs& inputs, const clip::Omitted& omitted, const TrialHooks& hooks);

  const binary::ProgramFile& program_;
  run::RunOptions options_;
  const run::ServerOptions server_options_;
  run::Runner& runner_;
  bool apart_ = false;
  std::unique_ptr<run::ForkServer> server_;
};

}  // namespace heddle::experiment
