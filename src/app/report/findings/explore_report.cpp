#include "report/findings/explore_report.h"

#include <fmt/format.h>

#include "report/findings/source_units_report.h"
#include "report/run_text.h"
#include "support/counted.h"
#include "support/duration.h"

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
  json["early_timeouts"] = early_timeouts_json(failure.report);
  json["stack"] = stack_json(failure.report.stack);
  return json;
}

// The bound for bugs of depth 2, which need one preemption; if it is missing, the first bound.
Json pct_bound(const explore::ExploreReport& report) {
  for (const explore::PctBound& bound : report.pct_bounds)
    if (bound.depth == 2) return bound.probability;
  return report.pct_bounds.empty() ? Json(nullptr) : Json(report.pct_bounds.front().probability);
}

// The time-outs that the claim of completeness does not cover.
std::string late_timeouts_text(const explore::ExploreReport& report) {
  if (report.late_timeouts.count == 0) return "";
  const bool never = report.early_timeout.count() == 0;
  return fmt::format(
      "time-outs{} fired only when no thread could run (the longest: {}); --early-timeouts any covers them\n",
      never ? "" : " longer than " + duration_text(report.early_timeout),
      duration_text(std::chrono::nanoseconds(report.late_timeouts.longest_ns)));
}

std::string bound_text(const explore::ExploreReport& report) {
  const char* what = report.strategy == "delays" ? "delays" : "preemptions";
  const std::string relative =
      fmt::format(" (with switches at synchronisation and at {} that accessed shared memory; {} disarmed)",
                  counted(report.shared_sites, "armed site"), counted(report.disarmed_sites, "other site"));
  const std::string left_out = late_timeouts_text(report);
  if (report.complete) return "all schedules have been run" + relative + "\n" + left_out;
  if (!report.bound_completed) return "";
  return fmt::format("all schedules with at most {} {} have been run{}\n{}", *report.bound_completed, what, relative,
                     left_out);
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
                        {"schedules", report.schedules_searched},
                        {"time_outs_left_out", nullptr}};
  if (report.late_timeouts.count != 0)
    json["exhaustive"]["time_outs_left_out"] = static_cast<double>(report.late_timeouts.longest_ns) / 1e6;
  json["armed"] = {{"shared_sites", report.shared_sites}, {"disarmed_sites", report.disarmed_sites}};
  json["steps"] = {{"per_run", report.steps_per_run},
                   {"executed", report.steps_executed},
                   {"saved_by_checkpoints", report.steps_saved}};
  json["assertions"] = assertions_json(report.units);
  json["seconds_per_run"] = report.seconds_per_run > 0 ? Json(report.seconds_per_run) : Json(nullptr);
  json["out_of_time"] = report.out_of_time;
  json["interrupted"] = report.interrupted;
  json["problems"] = report.problems;
  return json;
}

std::string slow_text(std::uint64_t schedules, double seconds, double seconds_per_run) {
  constexpr std::uint64_t kFew = 20;
  if (schedules >= kFew) return "";
  const auto text_of = [](double time) {
    return duration_text(std::chrono::nanoseconds(static_cast<std::int64_t>(time * 1e9)));
  };
  if (schedules == 0)
    return fmt::format("one run takes longer than {}; no schedule was run to its end; give --time more\n",
                       text_of(seconds));
  return fmt::format("one run takes {}; {} {} run in {}; give --time more\n", text_of(seconds_per_run),
                     counted(schedules, "schedule"), schedules == 1 ? "was" : "were", text_of(seconds));
}

std::string explore_text(const explore::ExploreReport& report) {
  std::string text;
  for (const explore::Failure& failure : report.failures) {
    text += fmt::format("schedule {} ({}) failed{}:\n", failure.schedule_index, failure.strategy,
                        failure.count > 1 ? fmt::format(", and {} more like it", failure.count - 1) : "");
    text += run_text(failure.report);
    if (!text.empty() && text.back() != '\n') text += '\n';
    if (!failure.clip.empty())
      text += "the clip is in " + failure.clip +
              "; replay it with: " + command_text({"heddle", "replay", failure.clip}) + "\n";
  }
  text += fmt::format("{} in {:.1f} s, {:.0f} per second on {}; {} distinct, {} of sites covered\n",
                      counted(report.schedules, "schedule"), report.seconds,
                      report.seconds > 0 ? static_cast<double>(report.schedules) / report.seconds : 0.0,
                      counted(report.jobs, "processor"), report.distinct_schedules,
                      counted(report.covered_pairs, "ordered pair"));
  if (report.out_of_time && !report.complete)
    text += slow_text(report.schedules, report.seconds, report.seconds_per_run);
  if (report.failures.empty() && report.schedules != 0) {
    text += "no failure was found. Coverage of this search:\n";
    text += bound_text(report);
    for (const explore::PctBound& bound : report.pct_bounds)
      text += fmt::format("{} by PCT: would have found a bug of depth {} with probability {:.3g} or more\n",
                          counted(bound.runs, "schedule"), bound.depth, bound.probability);
    text += fmt::format("new pairs at the end: {:.1f} per minute\n", report.new_pairs_per_minute);
    text += ndebug_text(report.units);
  } else {
    text += bound_text(report);
  }
  for (const std::string& problem : report.problems) text += problem + "\n";
  return text;
}

}  // namespace heddle::report
