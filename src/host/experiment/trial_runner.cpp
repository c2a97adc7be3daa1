#include "experiment/trial_runner.h"

#include <algorithm>

#include "run/replay/clip_builder.h"
#include "run/verdict/failed_threads.h"

namespace heddle::experiment {

Status TrialRunner::start() {
  if (server_ != nullptr || apart_ || !can_serve(options_)) return ok_status();
  Result<std::unique_ptr<run::ForkServer>> started = run::ForkServer::start(program_, options_, server_options_);
  if (!started) return started.error();
  server_ = std::move(*started);
  return ok_status();
}

void TrialRunner::run_apart() {
  apart_ = true;
  last_was_served_ = false;
  server_.reset();
}

Result<Trial> TrialRunner::run(const Schedule& schedule, const TrialSettings& settings, const TrialHooks& hooks) {
  Result<run::SessionInputs> inputs = inputs_of(schedule);
  if (!inputs) return inputs.error();
  inputs->config.seed = options_.seed;  // the source of the program's random numbers
  inputs->config.steps_max = settings.steps_max != 0 ? settings.steps_max : options_.steps_max;
  inputs->config.fair_points = settings.fair_points;
  inputs->config.flags = settings.flags;
  inputs->config.freeze_descent = settings.freeze_descent;
  inputs->config.freeze_at = settings.freeze_at;
  if (settings.apart) return run_alone(*inputs, schedule.omitted, hooks);
  if (Status started = start(); !started) return started.error();
  HEDDLE_CHECK(server_ == nullptr || (settings.flags == 0 && settings.freeze_at == 0));
  return server_ != nullptr ? run_served(*inputs, hooks) : run_alone(*inputs, schedule.omitted, hooks);
}

Result<Trial> TrialRunner::run(const run::SessionInputs& inputs, const TrialHooks& hooks) {
  if (options_.omitted != clip::Omitted{}) return run(inputs, options_.omitted, hooks);
  if (Status started = start(); !started) return started.error();
  return server_ != nullptr ? run_served(inputs, hooks) : run_alone(inputs, {}, hooks);
}

Result<Trial> TrialRunner::run(const run::SessionInputs& inputs, const clip::Omitted& omitted,
                               const TrialHooks& hooks) {
  if (Status started = start(); !started) return started.error();
  if (server_ == nullptr) return run_alone(inputs, omitted, hooks);
  run::SessionInputs complete = inputs;
  if (Status named = run::omit(omitted, complete); !named) return named.error();
  return run_served(complete, hooks);
}

Result<Trial> TrialRunner::run_served(const run::SessionInputs& inputs, const TrialHooks& hooks) {
  last_was_served_ = true;
  Result<run::ServedRun> served = server_->run(inputs, hooks.from_slot, hooks.checkpoints, hooks.sink);
  if (!served) return served.error();
  if (hooks.watcher != nullptr) hooks.watcher->end(server_->memory());
  Trial trial;
  trial.failure_key = failure_key(served->outcome, server_->last_result());
  trial.outcome = std::move(served->outcome);
  trial.interrupted = served->interrupted;
  trial.spun = served->spun;
  trial.progress = served->progress;
  trial.steps = trial.progress.steps - std::min(trial.progress.steps, server_->base_step());
  trial.switches_met = server_->last_result().switches_met;
  trial.early_timeouts = server_->last_result().early_timeouts;
  trial.late_timeouts = server_->last_result().late_timeouts;
  trial.decisions = std::move(served->decisions);
  return trial;
}

Result<Trial> TrialRunner::run_alone(const run::SessionInputs& inputs, const clip::Omitted& omitted,
                                     const TrialHooks& hooks) {
  last_was_served_ = false;
  run::RunOptions options = options_;
  run::set_schedule(options, inputs.config);
  if (inputs.config.steps_max != 0) options.steps_max = inputs.config.steps_max;
  options.omitted = omitted;
  run::SessionInputs observed = inputs;
  observed.log_words = server_options_.log_words;
  observed.pairs_slots = server_options_.pairs_slots;
  observed.graph = server_options_.graph;
  if (server_options_.record) observed.config.flags |= format::kRecordEvents;
  Result<run::RunReport> report = runner_.run_once(options, std::move(observed), hooks.sink, hooks.watcher);
  if (!report) return report.error();
  Trial trial;
  trial.failure_key = failure_key(report->outcome, runner_.last_result());
  trial.outcome = report->outcome;
  trial.interrupted = report->interrupted;
  trial.spun = report->spun && report->outcome.failed();
  trial.early_timeouts = report->early_timeouts;
  trial.late_timeouts = report->late_timeouts;
  trial.progress = report->progress;
  trial.steps = report->progress.steps;
  trial.switches_met = report->preemptions_met;
  trial.report = std::move(*report);
  return trial;
}

bool TrialRunner::is_wanted(const Trial& last, FailureMatcher& matcher) const {
  if (const std::optional<bool> known = matcher.matches(last.outcome, last.failure_key)) return *known;
  run::Outcome outcome = last.outcome;
  outcome.signature = run::signature_of(outcome, last_result(), runner_.symbolizer());
  return matcher.learn(last.failure_key, outcome);
}

}  // namespace heddle::experiment
