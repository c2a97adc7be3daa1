#include "explore/workers/executor.h"

#include <algorithm>

#include "experiment/failure_key.h"

namespace heddle::explore {
namespace {

constexpr std::uint64_t kLogWords = std::uint64_t{1} << 22;
constexpr std::uint64_t kPairsSlots = std::uint64_t{1} << 16;

bool can_be_served(const run::RunOptions& options) {
  return options.engine == format::EngineKind::Fiber && options.driver.empty();
}

// What a process of its own leaves in its memory.
class ObservationReader final : public run::SessionWatcher {
 public:
  void look(const run::SessionMemory&) override {}
  void end(const run::SessionMemory& memory) override {
    state = memory.session().progress.state;
    for (const std::uint64_t pair : memory.pairs())
      if (pair != 0) pairs.push_back(pair);
  }
  std::uint64_t state = 0;
  std::vector<std::uint64_t> pairs;
};

}  // namespace

Status Executor::begin(const run::RunOptions& options, std::uint32_t hosts, bool systematic) {
  options_ = options;
  checkpoints_.reset();
  server_.reset();
  last_server_ = nullptr;
  if (!can_be_served(options)) return ok_status();
  run::ServerOptions server;
  server.hosts = hosts;
  server.observe = true;
  server.pairs_slots = kPairsSlots;
  server.log_words = systematic ? kLogWords : 0;
  server.processor = processor_;
  Result<std::unique_ptr<run::ForkServer>> started = run::ForkServer::start(program_, options, server);
  if (!started) return started.error();
  server_ = std::move(*started);
  checkpoints_ = std::make_unique<Checkpoints>(*server_);
  return ok_status();
}

Result<Executor::Made> Executor::run(const run::SessionInputs& inputs, bool use_checkpoints) {
  if (server_ == nullptr) return run_alone(options_, inputs);
  Checkpoints::Start start{0, server_->base_step()};
  std::vector<run::CheckpointRequest> requests;
  // What a checkpoint's prefix printed is gone when a later run resumes there, and --fails-if judges the whole output.
  if (use_checkpoints && options_.fails_if.empty()) {
    start = checkpoints_->find(inputs.deviations);
    requests = checkpoints_->plan(start, inputs.deviations);
  }
  Result<run::ServedRun> served = server_->run(inputs, start.slot, requests);
  if (!served) return served.error();
  checkpoints_->collect(requests);
  last_server_ = server_.get();
  Made made;
  made.run = std::move(*served);
  made.steps = made.run.progress.steps - std::min(made.run.progress.steps, start.step);
  made.steps_saved = start.step - server_->base_step();
  made.failure_key = experiment::failure_key(made.run.outcome, server_->last_result());
  return made;
}

Result<Executor::Repeated> Executor::run_repeated(const run::SessionInputs& inputs) {
  Result<Made> made = run(inputs, false);
  if (!made) return made.error();
  Repeated repeated;
  repeated.made = std::move(*made);
  const bool failed = repeated.made.run.outcome.failed();
  const std::span<const format::RepeatResult> results = server_->memory().repeat_results();
  const std::uint64_t last = std::min<std::uint64_t>(server_->memory().session().repeat_iteration, inputs.repeats.size() - 1);
  repeated.finished = failed ? last : last + 1;
  for (std::uint64_t i = 0; i < repeated.finished; ++i) repeated.states.push_back(results[i].state);
  return repeated;
}

Result<Executor::Made> Executor::run_alone(const run::RunOptions& options, const run::SessionInputs& inputs) {
  run::RunOptions alone = options;
  run::set_schedule(alone, inputs.config);
  run::SessionInputs observed = inputs;
  observed.pairs_slots = kPairsSlots;
  ObservationReader observation;
  Result<run::RunReport> report = runner_.run_once(alone, std::move(observed), nullptr, &observation);
  if (!report) return report.error();
  last_server_ = nullptr;
  Made made;
  made.run.outcome = report->outcome;
  made.run.interrupted = report->interrupted;
  made.run.progress.steps = report->events;
  made.run.progress.switches = report->switches;
  made.run.progress.preemptions = report->preemptions;
  made.run.progress.threads = report->threads;
  made.run.progress.event_hash = report->event_hash;
  made.run.progress.state = observation.state;
  pairs_alone_.insert(observation.pairs.begin(), observation.pairs.end());
  made.steps = report->events;
  made.failure_key = experiment::failure_key(report->outcome, runner_.last_result());
  report_ = std::move(*report);
  return made;
}

Result<Executor::Made> Executor::run_profiled(const run::RunOptions& options, const run::SessionInputs& inputs,
                                              Profiler& profiler) {
  if (!can_be_served(options)) return run_alone(options, inputs);
  if (profile_server_ == nullptr) {
    run::RunOptions profiled = options;
    profiled.arm_mode = format::ArmMode::All;
    profiled.armed.clear();
    run::ServerOptions server;
    server.observe = true;
    server.record = true;
    server.processor = processor_;
    Result<std::unique_ptr<run::ForkServer>> started = run::ForkServer::start(program_, profiled, server);
    if (!started) return started.error();
    profile_server_ = std::move(*started);
  }
  Result<run::ServedRun> served = profile_server_->run(inputs, 0, {}, &profiler);
  if (!served) return served.error();
  last_server_ = profile_server_.get();
  Made made;
  made.run = std::move(*served);
  made.steps = made.run.progress.steps - std::min(made.run.progress.steps, profile_server_->base_step());
  made.failure_key = experiment::failure_key(made.run.outcome, profile_server_->last_result());
  return made;
}

const format::SessionResult& Executor::last_result() const {
  return last_server_ != nullptr ? last_server_->last_result() : runner_.last_result();
}

std::span<const std::uint64_t> Executor::decision_log() const {
  return last_server_ != nullptr ? last_server_->memory().decision_log() : std::span<const std::uint64_t>();
}

bool Executor::log_overflown() const {
  return last_server_ == nullptr || last_server_->memory().session().log.overflown != 0;
}

std::vector<std::uint64_t> Executor::pairs() const {
  if (server_ == nullptr) return {pairs_alone_.begin(), pairs_alone_.end()};
  const std::span<const std::uint64_t> table = server_->memory().pairs();
  return {table.begin(), table.end()};
}

std::uint64_t Executor::pair_count() const {
  return server_ != nullptr ? server_->memory().session().pairs.count : pairs_alone_.size();
}

}  // namespace heddle::explore
