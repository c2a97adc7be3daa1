#include "shrink/laboratory.h"

#include <sched.h>

#include <algorithm>
#include <thread>

#include "base/hash.h"
#include "run/replay/clip_builder.h"
#include "run/verdict/failed_threads.h"
#include "experiment/failure_key.h"
#include "run/process/launcher.h"
#include "run/verdict/predicate.h"
#include "binary/sections/site_names.h"
#include "binary/sections/site_table.h"
#include "shrink/profile/profile_sink.h"
#include "slice/failure_slice.h"

namespace heddle::shrink {
namespace {

using format::OutcomeKind;

constexpr std::uint32_t kHostsMax = 64;
constexpr std::uint64_t kFairPoints = 1'000'000, kFairPointsOfPlan = 10'000;
// A recording of so many events takes long: nothing is recorded that may not be needed.
constexpr std::uint64_t kLong = 4'000'000;
// To start a run takes as long as so many steps.
constexpr std::uint64_t kStepsToStart = 150'000;
// And to ask for an iteration that is left out, by a loop whose blocks are told, as long as so many.
constexpr std::uint64_t kStepsOfLeftOut = 4;

bool can_be_served(const run::RunOptions& options) {
  return options.engine == format::EngineKind::Fiber && options.driver.empty();
}

std::vector<int> allowed_processors() {
  std::vector<int> processors;
  cpu_set_t allowed;
  if (::sched_getaffinity(0, sizeof allowed, &allowed) == 0) {
    for (int i = 0; i < CPU_SETSIZE; ++i)
      if (CPU_ISSET(static_cast<unsigned>(i), &allowed)) processors.push_back(i);
  }
  if (processors.empty()) processors.push_back(-1);
  return processors;
}

class ScheduleSink final : public run::RingSink {
 public:
  void begin(const format::SessionResult&) override {}
  void consume(std::span<const std::uint64_t> words) override { collector_.consume(words); }
  run::Decisions finish(const format::SessionProgress& progress) { return collector_.finish(progress); }

 private:
  run::ScheduleCollector collector_;
};

Size size_of(const format::SessionProgress& progress) {
  return {std::max(progress.threads, 1u), progress.steps, progress.switches, progress.preemptions};
}

}  // namespace

Laboratory::Laboratory(const binary::ProgramFile& program, const run::RunOptions& options, const run::RunReport& original,
                       run::Runner& runner)
    : program_(program),
      options_(options),
      wanted_(original.outcome),
      original_events_(original.events),
      last_steps_(original.events),
      steps_max_(options.steps_max),
      shortest_(original.events),
      effort_(original.events),
      runner_(runner),
      recording_options_{options, options},
      tells_flow_(slice::tells_flow(program.path)) {
  recording_options_[static_cast<std::size_t>(Recording::Values)].record_values = true;
  // A run that has not failed long after the original had is not going to: what is left of it would be waited for in
  // vain.
  constexpr std::uint64_t kLonger = 20'000;
  if (wanted_.kind != OutcomeKind::Livelock)
    steps_max_ = std::min(steps_max_, original.events + original.events / 4 + kLonger);
  wanted_keys_[experiment::failure_key(original.outcome, runner.last_result())] = true;
}

Laboratory::~Laboratory() = default;

Status Laboratory::begin(std::uint32_t hosts) {
  if (!can_be_served(options_)) return ok_status();
  run::ServerOptions server;
  server.hosts = std::min(hosts, kHostsMax);
  server.collect_schedule = true;
  for (const int processor : allowed_processors()) {
    server.processor = processor;
    Result<std::unique_ptr<run::ForkServer>> started = run::ForkServer::start(program_, options_, server);
    if (!started) return started.error();
    servers_.push_back(std::move(*started));
  }
  return ok_status();
}

bool Laboratory::stopped() const {
  return error_ || options_.stop.stop_requested();
}

std::uint64_t Laboratory::affordable(std::uint64_t events) const {
  constexpr std::uint64_t kShort = 20'000, kAlways = 700'000, kEighths = 60, kEighthsInLongRuns = 56, kLongShare = 8;
  const std::uint64_t eighths = kLongShare * events > original_events_ ? kEighthsInLongRuns : kEighths;
  const std::uint64_t all = (original_events_ <= kShort ? kAlways : eighths * original_events_ / 8) + steps_unavoidable_;
  const std::uint64_t left = all - std::min(all, original_events_ > kLong ? steps_ + rounds_ * kStepsToStart : steps_);
  if (original_events_ <= kLong || !effort_until_small_) return left;
  // In all eight times a replay: one is for writing what was found, and one for a machine that is not always as fast. A few
  // hundred short runs are made in any case: they take less than half a second.
  constexpr std::uint64_t kReplays = 6, kShortRuns = 400 * kStepsToStart;
  const std::uint64_t effort_max = std::max(kReplays * original_events_, *effort_until_small_ + kShortRuns);
  return std::min(left, effort_max - std::min(effort_max, effort_));
}

void Laboratory::spend(std::uint64_t steps, std::uint64_t left_out, std::uint64_t effort_of_ten) {
  constexpr std::uint64_t kTen = 10;
  steps_ += steps;
  effort_ += (kStepsToStart + steps + kStepsOfLeftOut * left_out) * effort_of_ten / kTen;
}

std::uint64_t Laboratory::steps_of(const experiment::Schedule& plan) const {
  std::vector<std::uint64_t> points(plan.threads.size());
  for (const experiment::Turn& turn : plan.turns) {
    if (turn.points >= experiment::kUntilBlocked) {
      const auto known = steps_when_passing_.find(experiment::fingerprint({{}, {}, {}, plan.omitted}));
      return known != steps_when_passing_.end() ? std::min(shortest_, known->second) : shortest_;
    }
    points[turn.thread] = std::max<std::uint64_t>(points[turn.thread], turn.points);
  }
  std::uint64_t all = 0;
  for (const std::uint64_t of_thread : points) all += of_thread;
  return all;
}

// A plan says how far each thread comes until the failure. Who has come there without it would go on to the end of the
// program for nothing, which may be far away.
std::uint64_t Laboratory::steps_max_of(const experiment::Schedule& plan) const {
  constexpr std::uint64_t kLongerMin = 200, kLongerMax = 2'000, kShare = 100;
  const std::uint64_t longer = std::clamp(original_events_ / kShare, kLongerMin, kLongerMax);
  if (wanted_.kind == OutcomeKind::Livelock || wanted_.kind == OutcomeKind::Timeout) return steps_max_;
  const std::uint64_t expected = steps_of(plan);
  return std::min(steps_max_, expected + expected / 4 + longer);
}

Laboratory::Attempt Laboratory::serve(run::ForkServer& server, Result<run::SessionInputs> inputs,
                                      const clip::Omitted& omitted, std::uint64_t steps_max) const {
  Attempt attempt;
  if (!inputs) {
    attempt.error = inputs.error();
    return attempt;
  }
  inputs->config.steps_max = steps_max;
  // A plan without stops has none: nobody is stopped behind its end for having gone on for long, unless he spins.
  inputs->config.fair_points = kFairPointsOfPlan + original_events_;
  ScheduleSink sink;
  Result<run::ServedRun> served = server.run(*inputs, 0, {}, &sink);
  if (!served) {
    attempt.error = served.error();
    return attempt;
  }
  attempt.outcome = served->outcome;
  attempt.ended = !served->interrupted;
  attempt.steps = served->progress.steps - std::min(served->progress.steps, server.base_step());
  attempt.left_out = served->progress.iterations_left_out;
  attempt.key = experiment::failure_key(served->outcome, server.last_result());
  if (served->outcome.failed())
    attempt.failing = {experiment::schedule_of(sink.finish(served->progress), omitted), size_of(served->progress)};
  return attempt;
}

Laboratory::Attempt Laboratory::run_alone(const experiment::Schedule& plan) {
  Attempt attempt;
  run::RunOptions options = options_;
  options.strategy = format::StrategyKind::Turns;
  options.steps_max = steps_max_of(plan);
  options.omitted = plan.omitted;
  Result<run::SessionInputs> inputs = experiment::inputs_of(plan);
  Result<run::RunReport> report = inputs ? runner_.run_once(options, std::move(*inputs)) : inputs.error();
  if (!report) {
    attempt.error = report.error();
    return attempt;
  }
  attempt.outcome = report->outcome;
  attempt.ended = !report->interrupted;
  attempt.steps = report->events;
  attempt.failing = {experiment::schedule_of(report->decisions, plan.omitted),
                     {report->threads, report->events, report->switches, report->preemptions}};
  return attempt;
}

std::vector<Laboratory::Attempt> Laboratory::run_all(const std::vector<experiment::Schedule>& plans) {
  std::vector<Attempt> attempts(plans.size());
  if (servers_.empty()) {
    for (std::size_t i = 0; i < plans.size(); ++i) attempts[i] = run_alone(plans[i]);
  } else {
    std::vector<std::jthread> workers;
    for (std::size_t i = 1; i < plans.size(); ++i)
      workers.emplace_back([&, i] {
        attempts[i] = serve(*servers_[i], experiment::inputs_of(plans[i]), plans[i].omitted, steps_max_of(plans[i]));
      });
    attempts[0] = serve(*servers_[0], experiment::inputs_of(plans[0]), plans[0].omitted, steps_max_of(plans[0]));
  }
  last_steps_ = 0;
  for (const Attempt& attempt : attempts) {
    spend(attempt.steps, attempt.left_out);
    last_steps_ = std::max(last_steps_, attempt.steps);
    if (attempt.error && !error_) error_ = attempt.error;
  }
  rounds_ += plans.size();
  return attempts;
}

// By the key where it is known what that stands for, else by the signature, from a run of its own.
bool Laboratory::is_wanted(const Attempt& attempt, const experiment::Schedule& plan) {
  if (attempt.error || !attempt.ended || attempt.outcome.kind != wanted_.kind) return false;
  if (!attempt.outcome.signature.empty()) return attempt.outcome.signature == wanted_.signature;
  const auto known = wanted_keys_.find(attempt.key);
  if (known != wanted_keys_.end()) return known->second;
  const Attempt again = run_alone(attempt.failing.plan.turns.empty() ? plan : attempt.failing.plan);
  spend(again.steps);
  if (again.error || !again.ended) return false;
  return wanted_keys_[attempt.key] = again.outcome.signature == wanted_.signature;
}

bool Laboratory::may_be_wanted(OutcomeKind kind, std::uint64_t key) const {
  const auto known = wanted_keys_.find(key);
  return kind == wanted_.kind && (known == wanted_keys_.end() || known->second);
}

std::optional<experiment::Schedule> Laboratory::schedule_made_by(const run::SessionInputs& inputs,
                                                 const clip::Omitted& omitted) {
  const Attempt attempt = serve(*servers_.front(), inputs, omitted, steps_max_);
  count(attempt.steps, attempt.left_out);
  if (attempt.error || !attempt.ended || !attempt.outcome.failed()) return std::nullopt;
  return attempt.failing.plan;
}

std::optional<Laboratory::Found> Laboratory::first_failing(std::size_t count, const Make& make, const Holds& holds) {
  // Runs that turn out not to be needed must not be the long ones.
  constexpr std::uint64_t kShare = 32, kShort = 2'000, kSmall = 16;
  const bool is_short = last_steps_ <= std::max(original_events_ / kShare, kShort);
  const std::size_t at_a_time = is_short ? std::max<std::size_t>(servers_.size(), 1) : 1;
  for (std::size_t at = 0; at < count;) {
    std::vector<experiment::Schedule> plans;
    std::vector<std::size_t> indices;
    for (; at < count && plans.size() < at_a_time; ++at) {
      experiment::Schedule plan = make(at);
      if (refuted_.contains(experiment::fingerprint(plan))) continue;
      plans.push_back(std::move(plan));
      indices.push_back(at);
    }
    if (plans.empty() || stopped() || !can_afford(1, steps_of(plans.front()))) return std::nullopt;
    std::vector<Attempt> attempts = run_all(plans);
    for (std::size_t i = 0; i < attempts.size(); ++i) {
      if (is_wanted(attempts[i], plans[i])) {
        if (!holds(attempts[i].failing)) continue;
        shortest_ = std::min(shortest_, attempts[i].failing.size.events);
        if (!effort_until_small_ && kSmall * shortest_ <= original_events_) effort_until_small_ = effort_;
        return Found{indices[i], std::move(attempts[i].failing)};
      } else if (attempts[i].ended) {
        refuted_.insert(experiment::fingerprint(plans[i]));
      }
    }
  }
  return std::nullopt;
}

Result<Laboratory::Recorded> Laboratory::record(const run::SessionInputs& inputs, Recording what, run::RingSink& sink) {
  ++rounds_;
  Recorded recorded;
  const auto index = static_cast<std::size_t>(what);
  if (servers_.empty()) {
    run::RunOptions options = recording_options_[index];
    options.strategy = inputs.config.strategy;
    options.seed = inputs.config.seed;
    run::SessionInputs alone = inputs;
    alone.config = run::session_config(options);
    alone.config.flags |= format::kRecordEvents;
    alone.armed_names = binary::site_name_hashes(options.armed);
    Result<run::Execution> execution = run::launch(program_, options, alone, &sink);
    if (!execution) return execution.error();
    Result<run::Outcome> outcome = run::judge(*execution, options);
    if (!outcome) return outcome.error();
    recorded.outcome = std::move(*outcome);
    recorded.ended = !execution->interrupted;
    recorded.progress = execution->progress;
    recorded_result_ = std::move(execution->result);
    recorded.result = recorded_result_.get();
  } else {
    std::unique_ptr<run::ForkServer>& recorder = recording_servers_[index];
    if (recorder == nullptr) {
      run::ServerOptions server;
      server.record = true;
      Result<std::unique_ptr<run::ForkServer>> started =
          run::ForkServer::start(program_, recording_options_[index], server);
      if (!started) return started.error();
      recorder = std::move(*started);
    }
    Result<run::ServedRun> served = recorder->run(inputs, 0, {}, &sink);
    if (!served) return served.error();
    recorded.outcome = served->outcome;
    recorded.ended = !served->interrupted;
    recorded.progress = served->progress;
    recorded.result = &recorder->last_result();
    recorded.begin_step = recorder->base_step();
  }
  constexpr std::array<std::uint64_t, 2> kEffortOfTen = {15, 20};  // by Recording
  spend(recorded.progress.steps - std::min(recorded.progress.steps, recorded.begin_step),
        recorded.progress.iterations_left_out, kEffortOfTen[index]);
  last_recorded_ = recorded.result;
  return recorded;
}

bool Laboratory::run_in_order(const SequentialOrder& order, const clip::Omitted& omitted, Recording what,
                              run::RingSink& sink, format::SessionProgress* progress) {
  run::SessionInputs inputs;
  inputs.config.strategy = order.strategy;
  inputs.config.seed = order.seed;
  // The original may have failed long before its end.
  constexpr std::uint64_t kTimesLonger = 1000;
  inputs.config.steps_max = std::max(options_.steps_max, kTimesLonger * original_events_);
  // Nobody is stopped for having gone on for long, unless he spins.
  inputs.config.fair_points = kFairPoints + original_events_;
  const Status named = run::omit(omitted, inputs);
  const Result<Recorded> recorded = named ? record(inputs, what, sink) : named.error();
  if (!recorded) {
    error_ = recorded.error();
    return false;
  }
  if (progress != nullptr) *progress = recorded->progress;
  return recorded->ended && !recorded->outcome.failed();
}

std::shared_ptr<const RunProfile> Laboratory::profile_run(const experiment::Schedule& plan, bool count_dependences) {
  const std::uint64_t asked = experiment::fingerprint(plan);
  if (studied_ && studied_plan_ == asked) return studied_;
  Result<run::SessionInputs> inputs = experiment::inputs_of(plan);
  if (inputs) inputs->config.steps_max = steps_max_;
  count_dependences = count_dependences && original_events_ <= kLong;
  ProfileSink sink(count_dependences);
  const Result<Recorded> recorded = inputs ? record(*inputs, Recording::Values, sink) : inputs.error();
  if (!recorded) {
    error_ = recorded.error();
    return nullptr;
  }
  const run::Decisions decisions = sink.schedule.finish(recorded->progress);
  Attempt attempt;
  attempt.outcome = recorded->outcome;
  attempt.ended = recorded->ended;
  attempt.key = experiment::failure_key(recorded->outcome, *recorded->result);
  attempt.failing = {experiment::schedule_of(decisions, plan.omitted), size_of(recorded->progress)};
  if (!is_wanted(attempt, plan)) return nullptr;
  const std::vector<std::uint32_t> failed = run::failed_threads(*recorded->result);
  Communication communication = sink.communication.take();
  std::vector<Interference> interferences = communication.interferences(failed);
  RunProfile studied{std::move(attempt.failing), std::move(sink.accesses), std::move(communication),
                  std::move(interferences), recorded->begin_step, {}, failed, {}, {}};
  for (std::uint32_t thread = 0; thread < decisions.threads.size(); ++thread)
    studied.threads.push_back(decisions.descent_name(thread));
  if (count_dependences) studied.dependence = sink.dependences.count(studied.failed);
  if (!loop_names_) loop_names_ = loop_names(*recorded->result);
  studied.loops = sink.loops.finish(studied.threads, recorded->begin_step, *loop_names_);
  studied_plan_ = asked;
  studied_ = std::make_shared<const RunProfile>(std::move(studied));
  return studied_;
}

std::optional<Sliced> Laboratory::slice(const experiment::Schedule& plan) {
  Result<run::SessionInputs> inputs = experiment::inputs_of(plan);
  if (!inputs || stopped()) return std::nullopt;
  run::RunOptions options = options_;
  options.strategy = format::StrategyKind::Turns;
  inputs->config = run::session_config(options);
  inputs->config.flags |= format::kRecordEvents | format::kRecordBlocks | format::kRecordValues;
  inputs->armed_names = binary::site_name_hashes(options.armed);
  slice::Slicer slicer;
  const Result<run::Execution> execution = run::launch(program_, options, *inputs, &slicer);
  if (!execution) {
    error_ = execution.error();
    return std::nullopt;
  }
  count(execution->progress.steps, execution->progress.iterations_left_out);
  const Result<run::Outcome> outcome = run::judge(*execution, options);
  if (!outcome) error_ = outcome.error();
  if (!outcome || execution->interrupted || outcome->kind != wanted_.kind) return std::nullopt;
  const std::vector<std::uint32_t> failed = run::failed_threads(*execution->result);
  Sliced sliced{slicer.slice(failed), slicer.slice(failed, slice::Relations::Flow), {}};
  for (std::uint32_t thread = 0; thread < execution->decisions.threads.size(); ++thread)
    sliced.threads.push_back(execution->decisions.descent_name(thread));
  return sliced;
}

bool Laboratory::learn_check(const SequentialOrder& order, const RunProfile& failing) {
  const std::uint64_t before = steps_;
  ProfileSink all(/*count_dependences=*/false);
  SiteObserver sites;
  const bool is_long = original_events_ > kLong;
  format::SessionProgress progress{};
  const bool passed = run_in_order(order, options_.omitted, Recording::Accesses,
                                   is_long ? static_cast<run::RingSink&>(sites) : all, &progress);
  steps_unavoidable_ += steps_ - before;
  if (!passed) return false;
  if (run::has_place(wanted_.kind))
    check_site_ =
        failing.accesses.last_in_common(failing.failed.front(), is_long ? sites.seen() : all.accesses.seen());
  if (!is_long) learn_near(failing, all.communication.take(), all.schedule.finish(progress));
  return true;
}

const std::vector<std::string>& Laboratory::near_when_passing(const SequentialOrder& order, const RunProfile& failing) {
  if (!near_when_passing_ && can_afford(1, steps_unavoidable_)) {
    ProfileSink sink(/*count_dependences=*/false);
    format::SessionProgress progress{};
    if (run_in_order(order, options_.omitted, Recording::Accesses, sink, &progress))
      learn_near(failing, sink.communication.take(), sink.schedule.finish(progress));
  }
  if (!near_when_passing_) near_when_passing_.emplace();
  return *near_when_passing_;
}

void Laboratory::learn_near(const RunProfile& failing, const Communication& passing, const run::Decisions& decisions) {
  near_when_passing_.emplace();
  std::vector<std::uint32_t> same;  // threads that fail, as they are numbered in this run
  for (std::uint32_t thread = 0; thread < decisions.threads.size(); ++thread)
    for (const std::uint32_t failed : failing.failed)
      if (decisions.descent_name(thread) == failing.threads[failed]) same.push_back(thread);
  for (const std::uint32_t thread : passing.related_threads(same)) near_when_passing_->push_back(decisions.descent_name(thread));
}

bool Laboratory::passes(const SequentialOrder& order, const clip::Omitted& omitted) {
  if (!may_pass(omitted)) return false;
  SiteObserver watch;
  const bool passed = run_in_order(order, omitted, Recording::Accesses, watch) &&
                      (check_site_ == 0 || watch.seen().contains(check_site_));
  if (!passed) failing_in_sequence_.insert(experiment::fingerprint({{}, {}, {}, omitted}));
  return passed;
}

bool Laboratory::fails_without_stops(const experiment::Schedule& plan) {
  const experiment::Schedule in_sequence = experiment::without_stops(plan, experiment::preemptions_of(plan));
  const std::uint64_t asked = experiment::fingerprint(in_sequence);
  if (refuted_.contains(asked)) return false;
  if (failing_without_stops_.contains(asked)) return true;
  const Attempt attempt = run_all({in_sequence}).front();
  const bool fails = !attempt.ended || is_wanted(attempt, in_sequence);
  (fails ? failing_without_stops_ : refuted_).insert(asked);
  return fails;
}

bool Laboratory::change_order(SequentialOrder& order, const RunProfile& failing) {
  constexpr std::uint64_t kTimes = 2;  // the original: what the whole program may take
  const SequentialOrder other{order.strategy == format::StrategyKind::SequentialReverse ? format::StrategyKind::Sequential
                                                                                         : format::StrategyKind::SequentialReverse};
  if (order_changed_ || steps_unavoidable_ > kTimes * original_events_) return false;
  order_changed_ = true;
  if (!learn_check(other, failing)) return false;
  order = other;
  failing_in_sequence_.clear();
  return true;
}

Result<Laboratory::Places> Laboratory::places_of(const experiment::Schedule& plan) {
  Result<run::SessionInputs> inputs = experiment::inputs_of(plan);
  if (!inputs) return inputs.error();
  inputs->config.steps_max = steps_max_;
  PointObserver watch;
  const Result<Recorded> recorded = record(*inputs, Recording::Values, watch);
  if (!recorded) return recorded.error();
  const run::Decisions decisions = watch.finish(recorded->progress);
  Places places;
  for (std::uint32_t thread = 0; thread < decisions.threads.size(); ++thread) {
    std::vector<PointPlace>& of_thread = places[decisions.descent_name(thread)];
    of_thread = watch.take_points_of(thread);
    if (thread == number(kMainThread)) of_thread.insert(of_thread.begin(), recorded->begin_step, {});
  }
  return places;
}

Result<Laboratory::Reached> Laboratory::reached_by(const experiment::Schedule& plan, ReachedObserver::IsWanted is_wanted) {
  Result<run::SessionInputs> inputs = experiment::inputs_of(plan);
  if (!inputs) return inputs.error();
  inputs->config.steps_max = steps_max_;
  ReachedObserver watch(std::move(is_wanted));
  const Result<Recorded> recorded = record(*inputs, Recording::Values, watch);
  if (!recorded) return recorded.error();
  if (recorded->outcome.kind == OutcomeKind::Ok)
    steps_when_passing_[experiment::fingerprint({{}, {}, {}, plan.omitted})] = recorded->progress.steps;
  const run::Decisions decisions = watch.finish(recorded->progress);
  Reached reached;
  for (std::uint32_t thread = 0; thread < decisions.threads.size(); ++thread) {
    std::vector<ReachedPoint>& of_thread = reached[decisions.descent_name(thread)];
    of_thread = watch.take_points_of(thread);
    if (thread != number(kMainThread)) continue;
    for (ReachedPoint& one : of_thread) one.point += static_cast<std::uint32_t>(recorded->begin_step);
  }
  return reached;
}

Result<Laboratory::Places> Laboratory::places_with_lines_of(const experiment::Schedule& plan) {
  Result<Places> places = places_of(plan);
  if (!places) return places;
  binary::SiteTable sites(*last_recorded_);
  ByNumber<std::optional<std::uint64_t>> lines;  // by site
  const auto line_of = [&](std::uint32_t site_id) {
    std::optional<std::uint64_t>& line = lines[site_index(site_id)];
    if (line) return *line;
    const binary::Site* site = sites.find(site_id);
    line = site != nullptr ? hash_bytes(site->file.data(), site->file.size()) + site->line : 0;
    return *line;
  };
  for (auto& [thread, of_thread] : *places)
    for (PointPlace& place : of_thread)
      if (!place.synchronisation()) place.line = line_of(place.site);
  return places;
}

}  // namespace heddle::shrink
