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

RunProfiler::RunProfiler(FailureTrials& trials, Recorder& recorder, run::Runner& runner, Budget& budget)
    : trials_(trials),
      recorder_(recorder),
      budget_(budget),
      apart_(trials.program(), trials.options(), {}, runner),
      tells_flow_(slice::tells_flow(trials.program().path)) {
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

std::shared_ptr<const RunProfile> RunProfiler::profile_run(const Schedule& schedule, bool count_dependences) {
  const std::uint64_t asked = experiment::fingerprint(schedule);
  if (profile_ && profiled_schedule_ == asked) return profile_;
  count_dependences = count_dependences && !budget_.is_long();
  ProfileSink sink(count_dependences);
  Result<Trial> trial = record(schedule, sink);
  if (!trial) {
    trials_.fail(trial.error());
    return nullptr;
  }
  trial->decisions = sink.schedule.finish(trial->progress);
  trial->report.reset();
  const std::vector<std::uint32_t> failed = run::failed_threads(recorder_.result());
  if (!trials_.is_wanted(*trial, schedule)) return nullptr;
  Communication communication = sink.communication.take();
  std::vector<Interference> interferences = communication.interferences(failed);
  RunProfile profile{{experiment::schedule_of(trial->decisions, schedule.omitted), size_of(trial->progress)},
                     std::move(sink.accesses),
                     std::move(communication),
                     std::move(interferences),
                     recorder_.base_step(),
                     {},
                     failed,
                     {},
                     {}};
  for (std::uint32_t thread = 0; thread < trial->decisions.threads.size(); ++thread)
    profile.threads.push_back(trial->decisions.descent_name(thread));
  if (count_dependences) profile.dependence = sink.dependences.count(profile.failed);
  if (!loop_names_) loop_names_ = loop_names(recorder_.result());
  profile.loops = sink.loops.finish(profile.threads, profile.begin_points, *loop_names_);
  profiled_schedule_ = asked;
  profile_ = std::make_shared<const RunProfile>(std::move(profile));
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
  Sliced sliced{slicer.slice(failed), slicer.slice(failed, slice::Relations::Flow), {}};
  for (std::uint32_t thread = 0; thread < trial->made().threads.size(); ++thread)
    sliced.threads.push_back(trial->made().descent_name(thread));
  return sliced;
}

Result<RunProfiler::Places> RunProfiler::places_of(const Schedule& schedule) {
  PointObserver observer;
  const Result<Trial> trial = record(schedule, observer);
  if (!trial) return trial.error();
  const run::Decisions decisions = observer.finish(trial->progress);
  Places places;
  for (std::uint32_t thread = 0; thread < decisions.threads.size(); ++thread) {
    std::vector<PointPlace>& of_thread = places[decisions.descent_name(thread)];
    of_thread = observer.take_points_of(thread);
    if (thread == number(kMainThread)) of_thread.insert(of_thread.begin(), recorder_.base_step(), {});
  }
  return places;
}

Result<RunProfiler::Reached> RunProfiler::reached_by(const Schedule& schedule, ReachedObserver::IsWanted is_wanted) {
  ReachedObserver observer(std::move(is_wanted));
  const Result<Trial> trial = record(schedule, observer);
  if (!trial) return trial.error();
  if (trial->outcome.kind == format::OutcomeKind::Ok) trials_.note_passing(schedule.omitted, trial->progress.steps);
  const run::Decisions decisions = observer.finish(trial->progress);
  Reached reached;
  for (std::uint32_t thread = 0; thread < decisions.threads.size(); ++thread) {
    std::vector<ReachedPoint>& of_thread = reached[decisions.descent_name(thread)];
    of_thread = observer.take_points_of(thread);
    if (thread != number(kMainThread)) continue;
    for (ReachedPoint& one : of_thread) one.point += static_cast<std::uint32_t>(recorder_.base_step());
  }
  return reached;
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
