#include "experiment/guided_runner.h"

#include <algorithm>

namespace heddle::experiment {
namespace {

constexpr std::uint32_t kHostsMax = 32;

}  // namespace

// A driver plays its part once, with one process.
bool GuidedRunner::is_served() const {
  return options_.engine == format::EngineKind::Fiber && options_.driver.empty();
}

Result<std::uint64_t> GuidedRunner::base_step() {
  if (!is_served()) return std::uint64_t{0};
  if (server_ == nullptr) {
    run::ServerOptions wanted;
    wanted.record = true;
    wanted.hosts = std::min(kHostsMax, hosts_);
    Result<std::unique_ptr<run::ForkServer>> started = run::ForkServer::start(program_, options_, wanted);
    if (!started) return started.error();
    server_ = std::move(*started);
  }
  return server_->base_step();
}

Result<GuidedRun> GuidedRunner::run(const run::SessionInputs& inputs, run::RingSink* listener) {
  if (const Result<std::uint64_t> begun = base_step(); !begun) return begun.error();
  GuidedRun made;
  if (server_ != nullptr) {
    Result<run::ServedRun> served = server_->run(inputs, 0, {}, listener);
    if (!served) return served.error();
    made.outcome = std::move(served->outcome);
    made.interrupted = served->interrupted;
    made.runs_made = server_->last_result().switches_met;
    return made;
  }
  run::RunOptions alone = options_;
  run::set_schedule(alone, inputs.config);
  Result<run::RunReport> report = runner_.run_once(alone, inputs, listener);
  if (!report) return report.error();
  made.outcome = std::move(report->outcome);
  made.interrupted = report->interrupted;
  made.runs_made = report->preemptions_met;
  return made;
}

}  // namespace heddle::experiment
