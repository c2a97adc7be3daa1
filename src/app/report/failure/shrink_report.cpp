#include "report/failure/shrink_report.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "report/run_text.h"
#include "support/counted.h"

namespace heddle::report {
namespace {

using End = shrink::ShrinkReport::End;

const char* end_word(End end) {
  constexpr const char* kWords[] = {"written", "not_reproduced", "not_a_concurrency_bug"};
  static_assert(std::size(kWords) == static_cast<std::size_t>(End::NotConcurrency) + 1);
  return kWords[static_cast<std::size_t>(end)];
}

Json size_json(const shrink::ShrinkReport& report, const shrink::Size& size, double seconds) {
  return {{"threads", size.threads},
          {"events", size.events},
          {"switches", size.switches},
          {"preemptions", size.preemptions},
          {"iterations", report.marks_iterations ? Json(size.iterations) : Json(nullptr)},
          {"replay_seconds", seconds}};
}

Json iterations_json(const std::vector<clip::IterationRange>& ranges) {
  Json list = Json::array();
  for (const clip::IterationRange& range : ranges)
    list.push_back({{"thread", range.thread}, {"loop", range.loop}, {"first", range.first}, {"last", range.last}});
  return list;
}

std::string size_text(const char* what, const shrink::Size& size) {
  return fmt::format("{}: {}, {}, {}, {}\n", what, counted(size.threads, "thread"),
                     counted(size.preemptions, "preemption"), counted(size.switches, "switch"),
                     counted(size.events, "event"));
}

// Steps of all runs, relative to the steps of the clip.
double times_original(const shrink::ShrinkReport& report) {
  return static_cast<double>(report.steps) / static_cast<double>(std::max<std::uint64_t>(report.before.events, 1));
}

}  // namespace

Json shrink_json(const shrink::ShrinkReport& report) {
  const bool written = report.end == End::Written;
  Json json = {{"result", end_word(report.end)},
               {"outcome", {{"kind", run::outcome_word(report.outcome.kind)}, {"signature", report.outcome.signature}}},
               {"before", size_json(report, report.before, report.before_seconds)},
               {"after", written ? size_json(report, report.after, report.after_seconds) : Json(nullptr)},
               {"disabled_threads", report.omitted.threads},
               {"disabled_iterations", iterations_json(report.omitted.iterations)},
               {"clip", written ? Json(report.clip) : Json(nullptr)},
               {"rounds", report.rounds},
               {"steps", report.steps},
               {"steps_in_sequence", report.steps_in_sequence},
               {"seconds", report.seconds}};
  Json phases = Json::array();
  for (const shrink::Phase& phase : report.phases)
    phases.push_back({{"name", phase.name},
                      {"rounds", phase.rounds},
                      {"events_removed", phase.events_removed},
                      {"steps", phase.steps},
                      {"seconds", phase.seconds}});
  json["phases"] = std::move(phases);
  json["loops"] = report.loops;
  if (report.dependence.events != 0)
    json["dependence"] = {{"events", report.dependence.events}, {"relevant", report.dependence.relevant}};
  if (report.slice)
    json["slice"] = {
        {"events", report.slice->events}, {"relevant", report.slice->relevant}, {"skipped", report.slice->skipped}};
  json["fewest_preemptions"] = report.fewest_preemptions;
  json["out_of_time"] = report.out_of_time;
  json["interrupted"] = report.interrupted;
  json["problems"] = report.problems;
  return json;
}

std::string shrink_text(const shrink::ShrinkReport& report) {
  std::string text;
  switch (report.end) {
    case End::NotReproduced:
      text = fmt::format(
          "the clip does not reproduce: it ended with '{}'; no clip was written. See why with: heddle replay CLIP\n",
          report.outcome.failed() ? report.outcome.signature : "ok");
      break;
    case End::NotConcurrency:
      text = fmt::format(
          "not a concurrency bug: '{}' also happens when the threads run one after the other, in every order that was "
          "tried; no clip was written. Debug it without Heddle\n",
          report.outcome.signature);
      break;
    case End::Written:
      text = report.outcome.signature + "\n" + size_text("before", report.before) + size_text("after", report.after);
      text += fmt::format("{} in {:.1f} s, {:.1f} times the steps of the clip", counted(report.rounds, "run"),
                          report.seconds, times_original(report));
      if (report.fewest_preemptions) text += "; no schedule with fewer preemptions has this failure";
      if (report.out_of_time) text += "; --time ended before all parts were tried, give it more";
      if (!report.marks_iterations)
        text += "\niterations of loops were not removed; build with HEDDLE_HOOKS=iterations to remove these, too";
      text += "\nthe clip is in " + report.clip +
              "; replay it with: " + command_text({"heddle", "replay", report.clip}) + "\n";
      break;
  }
  for (const std::string& problem : report.problems) text += problem + "\n";
  return text;
}

}  // namespace heddle::report
