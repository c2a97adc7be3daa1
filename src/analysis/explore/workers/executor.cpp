#include "explore/workers/executor.h"

#include <algorithm>
#include <chrono>

#include "support/duration.h"

namespace heddle::explore {
namespace {

using experiment::TrialRunner;

constexpr std::uint64_t kLogWords = std::uint64_t{1} << 22;
constexpr std::uint64_t kPairsSlots = std::uint64_t{1} << 16;

// Collects the pairs and the decision log of a run with a process of its own, whose session ends with the run.
class OwnProcessReader final : public run::SessionWatcher {
 public:
  OwnProcessReader(std::unordered_set<std::uint64_t>& pairs, std::vector<std::uint64_t>& log, bool& overflown)
      : pairs_(pairs), log_(log), overflown_(overflown) {}
  void look(const run::SessionMemory&) override {}
  void end(const run::SessionMemory& memory) override {
    for (const std::uint64_t pair : memory.pairs())
      if (pair != 0) pairs_.insert(pair);
    const std::span<const std::uint64_t> log = memory.decision_log();
    log_.assign(log.begin(), log.end());
    overflown_ = memory.session().log.overflown != 0;
  }

 private:
  std::unordered_set<std::uint64_t>& pairs_;
  std::vector<std::uint64_t>& log_;
  bool& overflown_;
};

}  // namespace

Status Executor::begin(const run::RunOptions& options, std::uint32_t hosts, bool systematic) {
  checkpoints_.reset();
  trials_.reset();
  last_ = nullptr;
  const run::ServerOptions server{.hosts = hosts,
                                  .log_words = systematic ? kLogWords : 0,
                                  .pairs_slots = kPairsSlots,
                                  .observe = true,
                                  .processor = processor_};
  trials_ = std::make_unique<TrialRunner>(program_, options, server, runner_);
  if (Status started = trials_->start(); !started) return started;
  if (trials_->server() != nullptr) checkpoints_ = std::make_unique<Checkpoints>(*trials_->server());
  return ok_status();
}

Result<Executor::Made> Executor::execute(TrialRunner& trials, const run::SessionInputs& inputs,
                                         experiment::TrialHooks hooks) {
  OwnProcessReader reader(pairs_alone_, log_alone_, log_alone_overflown_);
  if (trials.server() == nullptr) hooks.watcher = &reader;
  const auto begin = std::chrono::steady_clock::now();
  Result<experiment::Trial> trial = trials.run(inputs, hooks);
  if (!trial) return trial.error();
  last_ = &trials;
  const std::uint64_t steps = trial->steps;
  return Made{std::move(*trial), steps, 0, seconds_since(begin)};
}

Result<Executor::Made> Executor::run(const run::SessionInputs& inputs, bool use_checkpoints) {
  // --fails-if judges the whole output of a run, but a run from a checkpoint does not repeat the output before it.
  if (!use_checkpoints || checkpoints_ == nullptr || !trials_->options().fails_if.empty())
    return execute(*trials_, inputs, {});
  const Checkpoints::Start start = checkpoints_->find(inputs.deviations);
  const std::vector<run::CheckpointRequest> requests = checkpoints_->plan(start, inputs.deviations);
  Result<Made> made = execute(*trials_, inputs, {.from_slot = start.slot, .checkpoints = requests});
  if (!made) return made;
  checkpoints_->collect(requests);
  made->steps_saved = start.step - trials_->base_step();
  made->steps -= std::min(made->steps, made->steps_saved);
  return made;
}

Result<Executor::Repeated> Executor::run_repeated(const run::SessionInputs& inputs) {
  Result<Made> made = run(inputs, false);
  if (!made) return made.error();
  Repeated repeated;
  repeated.made = std::move(*made);
  const bool failed = repeated.made.trial.outcome.failed();
  const run::SessionMemory& memory = trials_->server()->memory();
  const std::span<const format::RepeatResult> results = memory.repeat_results();
  const std::uint64_t last = std::min<std::uint64_t>(memory.session().repeat_iteration, inputs.repeats.size() - 1);
  repeated.finished = failed ? last : last + 1;
  for (std::uint64_t i = 0; i < repeated.finished; ++i) repeated.states.push_back(results[i].state);
  return repeated;
}

Result<Executor::Made> Executor::run_profiled(const run::RunOptions& options, const run::SessionInputs& inputs,
                                              Profiler& profiler) {
  if (profiled_ == nullptr) {
    run::RunOptions armed = options;
    armed.arm_mode = format::ArmMode::All;
    armed.armed.clear();
    const bool served = TrialRunner::can_serve(options);
    const run::ServerOptions server{
        .pairs_slots = served ? 0 : kPairsSlots, .record = true, .observe = true, .processor = processor_};
    profiled_ = std::make_unique<TrialRunner>(program_, std::move(armed), server, runner_);
    if (Status started = profiled_->start(); !started) return started.error();
  }
  return execute(*profiled_, inputs, {.sink = &profiler});
}

Executor::DecisionLog Executor::decision_log() const {
  if (last_ == nullptr) return {};
  if (last_->server() == nullptr) return {log_alone_, log_alone_overflown_};
  const run::SessionMemory& memory = last_->server()->memory();
  return {memory.decision_log(), memory.session().log.overflown != 0};
}

std::vector<std::uint64_t> Executor::pairs() const {
  if (trials_ == nullptr || trials_->server() == nullptr) return {pairs_alone_.begin(), pairs_alone_.end()};
  const std::span<const std::uint64_t> table = trials_->server()->memory().pairs();
  return {table.begin(), table.end()};
}

std::uint64_t Executor::pair_count() const {
  const run::ForkServer* server = trials_ != nullptr ? trials_->server() : nullptr;
  return server != nullptr ? server->memory().session().pairs.count : pairs_alone_.size();
}

}  // namespace heddle::explore
