#include "report/findings/explore_text.h"

#include <fmt/format.h>

#include "report/findings/source_units_report.h"
#include "report/run_text.h"

namespace heddle::report {
namespace {

std::string bound_text(const explore::ExploreReport& report) {
  const char* what = report.strategy == "delays" ? "delays" : "preemptions";
  const std::string relative = fmt::format(
      " (of switches at synchronisation and at the {} armed sites that were seen to "
      "touch shared memory; {} others are disarmed)",
      report.shared_sites, report.disarmed_sites);
  if (report.complete) return "all schedules were run" + relative + "\n";
  if (!report.bound_completed) return "";
  return fmt::format("all schedules with at most {} {} were run{}\n", *report.bound_completed, what, relative);
}

}  // namespace

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
  text +=
      fmt::format("{} schedules in {:.1f} s, {:.0f} a second on {} {}; {} distinct, {} ordered pairs of sites met\n",
                  report.schedules, report.seconds,
                  report.seconds > 0 ? static_cast<double>(report.schedules) / report.seconds : 0.0, report.jobs,
                  report.jobs == 1 ? "processor" : "processors", report.distinct_schedules, report.covered_pairs);
  if (report.failures.empty()) {
    text += "no failure was found. What that is worth:\n";
    text += bound_text(report);
    for (const explore::PctBound& bound : report.pct_bounds)
      text += fmt::format("{} schedules by PCT: a bug of depth {} would have shown with probability {:.3g} or more\n",
                          bound.runs, bound.depth, bound.probability);
    text += fmt::format("new pairs at the end: {:.1f} a minute\n", report.new_pairs_per_minute);
    text += ndebug_text(report.units);
  } else {
    text += bound_text(report);
  }
  for (const std::string& problem : report.problems) text += problem + "\n";
  return text;
}

}  // namespace heddle::report
