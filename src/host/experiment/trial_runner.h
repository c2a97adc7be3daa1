#pragma once
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>

#include "experiment/failure_matcher.h"
#include "experiment/schedule.h"
#include "run/process/fork_server.h"
#include "run/runner.h"
#include "support/result.h"

namespace heddle::experiment {

// One run of a schedule and its outcome.
struct Trial {
  run::Outcome outcome;                   // has its signature only if the run had a process of its own
  std::uint64_t failure_key = 0;          // see failure_key()
  bool interrupted = false;               // ended from outside: the outcome means nothing
  bool spun = false;                      // the watchdog ended the run, in a loop that reaches no armed site
  format::SessionProgress progress{};     // at the end of the run
  std::uint64_t steps = 0;                // without the steps before main
  std::uint32_t switches_met = 0;         // of a guided schedule
  format::TimeoutCount early_timeouts{};  // fired although another thread could run
  format::TimeoutCount late_timeouts{};   // longer than RunOptions::early_timeout: fired when no thread could run
  run::Decisions decisions;               // with ServerOptions::collect_schedule
  std::optional<run::RunReport> report;   // of a process of its own; has the decisions

  const run::Decisions& made() const { return report ? report->decisions : decisions; }
};

// Observers of a run, and the checkpoint from which it starts.
struct TrialHooks {
  run::RingSink* sink = nullptr;           // gets the events of ServerOptions::record or of the flags
  run::SessionWatcher* watcher = nullptr;  // `look` is called only for a process of its own
  std::uint32_t from_slot = 0;             // checkpoint slot; only with a fork server
  std::span<const run::CheckpointRequest> checkpoints{};
};

// Settings that differ between the runs of one TrialRunner.
struct TrialSettings {
  std::uint64_t steps_max = 0;    // 0: the bound of the options
  std::uint64_t fair_points = 0;  // 0: the default
  bool apart = false;             // the run has a process of its own even if there is a fork server
  // REQUIRES: `apart`, or no fork server: a server is started with these.
  std::uint32_t flags = 0;           // what to record (format::SessionFlag)
  std::uint64_t freeze_descent = 0;  // as in format::SessionConfig
  std::uint64_t freeze_at = 0;
};

// Runs schedules of one program and reports how each run ended. All analyses that try schedules use this class, so
// that they agree on these questions:
//  - Where is a run made? In a copy of a fork server if can_serve(), because a copy starts faster; else in a process of
//    its own.
//  - What do --driver and --fails-if decide, and which bounds end a run that does not terminate?
//  - When are two failures the same? See FailureMatcher.
// A run has the same seed, bounds and omissions in both places, so its outcome does not depend on the place. Only
// the content of freed memory can differ; run_apart() avoids that.
// INVARIANT: results that refer to the last run (last_result(), is_wanted()) hold until the next run.
class TrialRunner {
 public:
  // All runs share the options; strategy and seed come from the inputs. `server`: what the runs record, and how a fork
  // server is started. REQUIRES: `program`, `runner` and an InterruptGuard outlive this.
  TrialRunner(const binary::ProgramFile& program, run::RunOptions options, const run::ServerOptions& server,
              run::Runner& runner)
      : program_(program), options_(std::move(options)), server_options_(server), runner_(runner) {}

  // True if runs with these options can be copies of a fork server. A driver serves one process only.
  static bool can_serve(const run::RunOptions& options) {
    return options.engine == format::EngineKind::Fiber && options.driver.empty() && !options.native;
  }

  // Starts the fork server if can_serve(). Otherwise the first run does so.
  Status start();
  // Gives all later runs a process of their own, as the run of a clip has: slower, but equal even in the content of
  // freed memory.
  void run_apart();

  Result<Trial> run(const Schedule& schedule, const TrialSettings& settings = {}, const TrialHooks& hooks = {});
  // For any other strategy. The first overload omits what the options omit.
  Result<Trial> run(const run::SessionInputs& inputs, const TrialHooks& hooks = {});
  Result<Trial> run(const run::SessionInputs& inputs, const clip::Omitted& omitted, const TrialHooks& hooks = {});

  // nullptr: every run has a process of its own.
  run::ForkServer* server() const { return server_.get(); }
  // Points that main has passed before a run of the fork server is observed. REQUIRES: started.
  std::uint64_t base_step() const { return server_ != nullptr ? server_->base_step() : 0; }
  // Modules, stacks and thread states of the last run.
  const format::SessionResult& last_result() const {
    return last_was_served_ ? server_->last_result() : runner_.last_result();
  }
  // True if `last`, the last run, failed in the wanted way. Reads debug information if the matcher does not know its
  // failure key.
  bool is_wanted(const Trial& last, FailureMatcher& matcher) const;
  const run::RunOptions& options() const { return options_; }

 private:
  Result<Trial> run_served(const run::SessionInputs& inputs, const TrialHooks& hooks);
  Result<Trial> run_alone(const run::SessionInputs& inputs, const clip::Omitted& omitted, const TrialHooks& hooks);

  const binary::ProgramFile& program_;
  run::RunOptions options_;
  const run::ServerOptions server_options_;
  run::Runner& runner_;
  bool apart_ = false;
  bool last_was_served_ = false;
  std::unique_ptr<run::ForkServer> server_;
};

}  // namespace heddle::experiment
