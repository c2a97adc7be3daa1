#include "report/findings/explore_json.h"

#include "report/findings/source_units_report.h"

namespace heddle::report {
namespace {

Json failure_json(const explore::Failure& failure) {
  Json json = {{"kind", run::outcome_word(failure.outcome.kind)},
               {"signature", failure.outcome.signature},
               {"message", failure.outcome.message},
               {"schedule_index", failure.schedule_index},
               {"count", failure.count},
               {"strategy", failure.strategy},
               {"clip", nullable(failure.clip)},
               {"threads", failure.report.threads},
               {"preemptions", failure.report.preemptions}};
  json["stack"] = stack_json(failure.report.stack);
  return json;
}

// The bound for bugs of depth 2, which need one preemption; if it is missing, the first bound.
Json pct_bound(const explore::ExploreReport& report) {
  for (const explore::PctBound& bound : report.pct_bounds)
    if (bound.depth == 2) return bound.probability;
  return report.pct_bounds.empty() ? Json(nullptr) : Json(report.pct_bounds.front().probability);
}

}  // namespace

Json explore_json(const explore::ExploreReport& report) {
  Json json = {
      {"schedules", report.schedules},
      {"seconds", report.seconds},
      {"schedules_per_second", report.seconds > 0 ? static_cast<double>(report.schedules) / report.seconds : 0.0},
      {"distinct_schedules", report.distinct_schedules},
      {"strategy", report.strategy},
      {"seed", report.seed},
      {"jobs", report.jobs}};
  Json failures = Json::array();
  for (const explore::Failure& failure : report.failures) failures.push_back(failure_json(failure));
  json["failures"] = std::move(failures);
  json["covered_pairs"] = report.covered_pairs;
  json["new_pairs_per_minute"] = report.new_pairs_per_minute;
  json["pct_bound"] = pct_bound(report);
  Json bounds = Json::array();
  for (const explore::PctBound& bound : report.pct_bounds)
    bounds.push_back({{"depth", bound.depth}, {"runs", bound.runs}, {"probability", bound.probability}});
  json["pct_bounds"] = std::move(bounds);
  json["exhaustive"] = {{"preemptions_max", nullable(report.bound_completed)},
                        {"complete", report.complete},
                        {"schedules", report.schedules_searched}};
  json["armed"] = {{"shared_sites", report.shared_sites}, {"disarmed_sites", report.disarmed_sites}};
  json["steps"] = {{"per_run", report.steps_per_run},
                   {"executed", report.steps_executed},
                   {"saved_by_checkpoints", report.steps_saved}};
  json["assertions"] = assertions_json(report.units);
  json["interrupted"] = report.interrupted;
  json["problems"] = report.problems;
  return json;
}

}  // namespace heddle::report
