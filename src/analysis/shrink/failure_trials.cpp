#include "shrink/failure_trials.h"

#include <algorithm>
#include <thread>

#include "support/processors.h"

namespace heddle::shrink {

using experiment::Schedule;
using experiment::Trial;
using format::OutcomeKind;
using H = Heuristics;

Size size_of(const format::SessionProgress& progress) {
  return {std::max(progress.threads, 1u), progress.steps, progress.switches, progress.preemptions};
}

std::uint64_t fingerprint_of(const clip::Omitted& omitted) { return experiment::fingerprint({{}, {}, {}, omitted}); }

FailureTrials::FailureTrials(const binary::ProgramFile& program, const run::RunOptions& options,
                             const run::RunReport& original, run::Runner& runner, Budget& budget)
    : program_(program),
      options_(options),
      runner_(runner),
      budget_(budget),
      matcher_(original.outcome, experiment::failure_key(original.outcome, runner.last_result())),
      apart_(program, options, {}, runner),
      last_steps_(original.events),
      steps_max_(options.steps_max) {
  apart_.run_apart();
  if (wanted().kind != OutcomeKind::Livelock)
    steps_max_ = std::min(steps_max_, original.events + original.events / 4 + H::kBehindOriginal);
}

Status FailureTrials::start(std::uint32_t hosts) {
  run::ServerOptions server;
  server.hosts = std::min(hosts, H::kHostsMax);
  server.collect_schedule = true;
  const bool served = experiment::TrialRunner::can_serve(options_);
  for (const int processor : served ? allowed_processors() : std::vector{-1}) {
    server.processor = processor;
    runners_.push_back(std::make_unique<experiment::TrialRunner>(program_, options_, server, runner_));
    if (Status started = runners_.back()->start(); !started) return started;
  }
  return ok_status();
}

std::uint64_t FailureTrials::steps_of(const Schedule& schedule) const {
  std::vector<std::uint64_t> points(schedule.threads.size());
  for (const experiment::Turn& turn : schedule.turns) {
    if (turn.points >= experiment::kUntilBlocked) {
      const auto known = steps_when_passing_.find(fingerprint_of(schedule.omitted));
      return known != steps_when_passing_.end() ? std::min(budget_.shortest(), known->second) : budget_.shortest();
    }
    points[turn.thread] = std::max<std::uint64_t>(points[turn.thread], turn.points);
  }
  std::uint64_t all = 0;
  for (const std::uint64_t of_thread : points) all += of_thread;
  return all;
}

// A thread that passes the end of its schedule without a failure would run to the end of the program, which may be far.
std::uint64_t FailureTrials::steps_max_of(const Schedule& schedule) const {
  if (wanted().kind == OutcomeKind::Livelock || wanted().kind == OutcomeKind::Timeout) return steps_max_;
  const std::uint64_t longer =
      std::clamp(budget_.original_events() / H::kBehindScheduleShare, H::kBehindScheduleMin, H::kBehindScheduleMax);
  const std::uint64_t expected = steps_of(schedule);
  return std::min(steps_max_, expected + expected / 4 + longer);
}

Result<Trial> FailureTrials::try_one(experiment::TrialRunner& runner, const Schedule& schedule) const {
  return runner.run(
      schedule, {.steps_max = steps_max_of(schedule), .fair_points = H::kFairInSchedule + budget_.original_events()});
}

std::vector<Result<Trial>> FailureTrials::try_all(const std::vector<Schedule>& schedules) {
  std::vector<Result<Trial>> trials(schedules.size(), Result<Trial>(Error{"not run"}));
  {
    std::vector<std::jthread> workers;
    for (std::size_t i = 1; i < schedules.size(); ++i)
      workers.emplace_back([&, i] { trials[i] = try_one(*runners_[i], schedules[i]); });
    trials[0] = try_one(*runners_[0], schedules[0]);
  }
  last_steps_ = 0;
  for (const Result<Trial>& trial : trials) {
    charge(trial);
    if (trial)
      last_steps_ = std::max(last_steps_, trial->steps);
    else if (!error_)
      error_ = trial.error();
  }
  return trials;
}

bool FailureTrials::is_wanted(const Trial& trial, const Schedule& schedule) {
  if (trial.interrupted) return false;
  if (const std::optional<bool> known = matcher_.matches(trial.outcome, trial.failure_key)) return *known;
  const Schedule made = experiment::schedule_of(trial.made(), schedule.omitted);
  const Result<Trial> again = try_one(apart_, made.turns.empty() ? schedule : made);
  budget_.spend(again ? again->steps : 0);
  if (!again || again->interrupted) return false;
  return matcher_.learn(trial.failure_key, again->outcome);
}

std::optional<Schedule> FailureTrials::schedule_made_by(const run::SessionInputs& inputs,
                                                        const clip::Omitted& omitted) {
  run::SessionInputs bounded = inputs;
  bounded.config.steps_max = steps_max_;
  bounded.config.fair_points = H::kFairInSchedule + budget_.original_events();
  const Result<Trial> trial = runners_.front()->run(bounded, omitted);
  charge(trial);
  if (!trial || trial->interrupted || !trial->outcome.failed()) return std::nullopt;
  return experiment::schedule_of(trial->made(), omitted);
}

std::optional<FailureTrials::Found> FailureTrials::first_failing(std::size_t count, const Make& make,
                                                                 const Holds& holds) {
  const bool is_short = last_steps_ <= std::max(budget_.original_events() / H::kParallelShare, H::kParallelShort);
  const std::size_t at_a_time = is_short ? runners_.size() : 1;
  for (std::size_t at = 0; at < count;) {
    std::vector<Schedule> schedules;
    std::vector<std::size_t> indices;
    for (; at < count && schedules.size() < at_a_time; ++at) {
      Schedule schedule = make(at);
      if (refuted_.contains(experiment::fingerprint(schedule))) continue;
      schedules.push_back(std::move(schedule));
      indices.push_back(at);
    }
    if (schedules.empty() || stopped() || !budget_.can_afford(1, steps_of(schedules.front()))) return std::nullopt;
    const std::vector<Result<Trial>> trials = try_all(schedules);
    for (std::size_t i = 0; i < trials.size(); ++i) {
      if (!trials[i]) continue;
      if (is_wanted(*trials[i], schedules[i])) {
        FailingRun failing{experiment::schedule_of(trials[i]->made(), schedules[i].omitted),
                           size_of(trials[i]->progress)};
        if (!holds(failing)) continue;
        budget_.note_failing(failing.size.events);
        return Found{indices[i], std::move(failing)};
      }
      if (!trials[i]->interrupted) refuted_.insert(experiment::fingerprint(schedules[i]));
    }
  }
  return std::nullopt;
}

bool FailureTrials::fails_without_preemptions(const Schedule& schedule) {
  const Schedule in_sequence = experiment::without_stops(schedule, experiment::preemptions_of(schedule));
  const std::uint64_t asked = experiment::fingerprint(in_sequence);
  if (refuted_.contains(asked)) return false;
  if (failing_without_preemptions_.contains(asked)) return true;
  const Result<Trial> trial = std::move(try_all({in_sequence}).front());
  const bool fails = !trial || trial->interrupted || is_wanted(*trial, in_sequence);
  (fails ? failing_without_preemptions_ : refuted_).insert(asked);
  return fails;
}

}  // namespace heddle::shrink
