#include "report/shrink_report.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "report/run_text.h"

namespace heddle::report {
namespace {

using End = shrink::ShrinkReport::End;

const char* end_word(End end) {
  switch (end) {
    case End::Written:
      return "written";
    case End::NotReproduced:
      return "not_reproduced";
    case End::NotConcurrency:
      return "not_a_concurrency_bug";
  }
  return "";
}

// Iterations are not counted: nothing marks them yet.
Json size_json(const shrink::Size& size, double seconds) {
  return {{"threads", size.threads},         {"events", size.events}, {"switches", size.switches},
          {"preemptions", size.preemptions}, {"iterations", nullptr}, {"replay_seconds", seconds}};
}

std::string size_text(const char* what, const shrink::Size& size) {
  return fmt::format("{}: {} threads, {} preemptions, {} switches, {} events\n", what, size.threads, size.preemptions,
                     size.switches, size.events);
}

}  // namespace

Json shrink_json(const shrink::ShrinkReport& report) {
  const bool written = report.end == End::Written;
  Json json = {{"result", end_word(report.end)},
               {"outcome", {{"kind", run::outcome_word(report.outcome.kind)}, {"signature", report.outcome.signature}}},
               {"before", size_json(report.before, report.before_seconds)},
               {"after", written ? size_json(report.after, report.after_seconds) : Json(nullptr)},
               {"disabled_threads", report.disabled_threads},
               {"clip", written ? Json(report.clip) : Json(nullptr)},
               {"rounds", report.rounds},
               {"steps", report.steps},
               {"seconds", report.seconds}};
  Json phases = Json::array();
  for (const shrink::Phase& phase : report.phases)
    phases.push_back({{"name", phase.name},
                      {"rounds", phase.rounds},
                      {"events_removed", phase.events_removed},
                      {"seconds", phase.seconds}});
  json["phases"] = std::move(phases);
  json["out_of_time"] = report.out_of_time;
  json["interrupted"] = report.interrupted;
  json["problems"] = report.problems;
  return json;
}

std::string shrink_text(const shrink::ShrinkReport& report) {
  std::string text;
  switch (report.end) {
    case End::NotReproduced:
      text = fmt::format("the clip does not reproduce: it ended with '{}'; nothing was written\n",
                         report.outcome.failed() ? report.outcome.signature : "ok");
      break;
    case End::NotConcurrency:
      text = fmt::format(
          "not a concurrency bug: '{}' also shows when threads run one after the other, in every order that "
          "was tried; nothing was written\n",
          report.outcome.signature);
      break;
    case End::Written:
      text = report.outcome.signature + "\n" + size_text("before", report.before) + size_text("after", report.after);
      text += fmt::format("{} runs in {:.1f} s", report.rounds, report.seconds);
      if (report.out_of_time) text += "; time was up before nothing more could be removed";
      text += "\nthe clip is in " + report.clip +
              "; replay it with: " + command_text({"heddle", "replay", report.clip}) + "\n";
      break;
  }
  for (const std::string& problem : report.problems) text += problem + "\n";
  return text;
}

}  // namespace heddle::report
