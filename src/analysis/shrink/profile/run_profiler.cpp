#include "shrink/profile/run_profiler.h"

#include <algorithm>
#include <utility>

#include "base/hash.h"
#include "binary/sections/site_table.h"
#include "run/verdict/failed_threads.h"
#include "shrink/profile/profile_sink.h"
#include "slice/failure_slice.h"

namespace heddle::shrink {

using experiment::Schedule;
using experiment::Trial;

namespace {

std::vector<std::string> descent_names(const run::Decisions& decisions) {
  std::vector<std::string> names;
  for (std::uint32_t thread = 0; thread < decisions.threads.size(); ++thread)
    names.push_back(decisions.descent_name(thread));
  return names;
}

template <typename Values>
std::map<std::string, Values> by_descent_name(ByNumber<Values>& values, const run::Decisions& decisions) {
  std::map<std::string, Values> named;
  const std::vector<std::string> names = descent_names(decisions);
  for (std::uint32_t thread = 0; thread < names.size(); ++thread) named[names[thread]] = std::move(values[thread]);
  return named;
}

}  // namespace

RunProfiler::RunProfiler(FailureTrials& trials, Recorder& recorder, run::Runner& runner, Budget& budget)
    : trials_(trials),
      recorder_(recorder),
      budget_(budget),
      apart_(trials.program(), trials.options(), {}, runner),
      has_flow_table_(slice::has_flow_table(trials.program().path)) {
  apart_.run_apart();
}

bool RunProfiler::marks_iterations() const {
  return loop_names_ && std::any_of(loop_names_->begin(), loop_names_->end(),
                                    [](const auto& loop) { return !is_only_sliced(loop.second); });
}

Result<Trial> RunProfiler::record(const Schedule& schedule, run::RingSink& sink) {
  Result<run::SessionInputs> inputs = experiment::inputs_of(schedule);
  if (!inputs) return inputs.error();
  inputs->config.seed = trials_.options().seed;
  inputs->config.steps_max = trials_.steps_max();
  return recorder_.record(*inputs, schedule.omitted, Recorder::What::Values, sink);
}

std::shared_ptr<const FailureProfile> RunProfiler::profile_run(const Schedule& schedule, bool count_dependences) {
  const std::uint64_t asked = experiment::fingerprint(schedule);
  if (profile_ && profiled_schedule_ == asked) return profile_;
  count_dependences = count_dependences && !budget_.is_long();
  ProfileSink sink(count_dependences);
  Result<Trial> trial = record(schedule, sink);
  if (!trial) {
    trials_.fail(trial.error());
    return nullptr;
  }
  const std::vector<std::uint32_t> failed = run::failed_threads(recorder_.result());
  if (!trials_.is_wanted(*trial, schedule)) return nullptr;
  Communication communication = sink.communication.take();
  std::vector<Interference> interferences = communication.interferences(failed);
  FailureProfile profile{{experiment::schedule_of(trial->made(), schedule.omitted), size_of(trial->progress)},
                         std::move(sink.accesses),
                         std::move(communication),
                         std::move(interferences),
                         recorder_.base_step(),
                         descent_names(trial->made()),
                         failed};
  if (count_dependences) profile.dependence = sink.dependences.count(profile.failed);
  if (!loop_names_) loop_names_ = loop_names(recorder_.result());
  profile.loops = sink.loops.finish(profile.threads, profile.begin_points, *loop_names_);
  profiled_schedule_ = asked;
  profile_ = std::make_shared<const FailureProfile>(std::move(profile));
  return profile_;
}

std::optional<Sliced> RunProfiler::slice(const Schedule& schedule) {
  if (trials_.stopped()) return std::nullopt;
  slice::Slicer slicer;
  const Result<Trial> trial = apart_.run(
      schedule, {.flags = format::kRecordEvents | format::kRecordBlocks | format::kRecordValues}, {.sink = &slicer});
  if (!trial) {
    trials_.fail(trial.error());
    return std::nullopt;
  }
  budget_.count_rounds(1);
  budget_.spend(trial->steps, trial->progress.iterations_left_out);
  if (trial->interrupted || trial->outcome.kind != trials_.wanted().kind) return std::nullopt;
  const std::vector<std::uint32_t> failed = run::failed_threads(apart_.last_result());
  return Sliced{slicer.slice(failed), slicer.slice(failed, slice::Relations::Flow), descent_names(trial->made())};
}

Result<RunProfiler::Places> RunProfiler::places_of(const Schedule& schedule) {
  ByNumber<std::vector<PointPlace>> points;
  PointObserver observer(
      [&](std::uint32_t thread, const ReachedPoint& reached) { points[thread].push_back(reached.at); });
  const Result<Trial> trial = record(schedule, observer);
  if (!trial) return trial.error();
  points[number(kMainThread)].insert(points[number(kMainThread)].begin(), recorder_.base_step(), {});
  return by_descent_name(points, trial->made());
}

Result<RunProfiler::Reached> RunProfiler::reached_by(const Schedule& schedule,
                                                     const std::function<bool(const ReachedPoint&)>& is_wanted) {
  ByNumber<std::vector<ReachedPoint>> points;
  PointObserver observer([&](std::uint32_t thread, const ReachedPoint& reached) {
    if (is_wanted(reached)) points[thread].push_back(reached);
  });
  const Result<Trial> trial = record(schedule, observer);
  if (!trial) return trial.error();
  if (trial->outcome.kind == format::OutcomeKind::Ok) trials_.note_passing(schedule.omitted, trial->progress.steps);
  for (ReachedPoint& one : points[number(kMainThread)]) one.point += static_cast<std::uint32_t>(recorder_.base_step());
  return by_descent_name(points, trial->made());
}

Result<RunProfiler::Places> RunProfiler::places_with_lines_of(const Schedule& schedule) {
  Result<Places> places = places_of(schedule);
  if (!places) return places;
  binary::SiteTable sites(recorder_.result());
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
