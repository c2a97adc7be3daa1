#include "report/findings/hunt_report.h"

#include <fmt/format.h>

#include <filesystem>

#include "report/exchange/junit.h"
#include "report/exchange/sarif.h"
#include "report/failure/cause_text.h"
#include "report/failure/explain_json.h"
#include "report/failure/explain_text.h"
#include "report/failure/shrink_report.h"
#include "report/failure/timeline_text.h"
#include "report/findings/explore_report.h"
#include "report/findings/source_units_report.h"
#include "report/progress_text.h"
#include "report/run_text.h"
#include "support/counted.h"

namespace heddle::report {
namespace {

using hunt::Bug;

// By BugProblem::Kind; BugProblem::why is appended.
constexpr const char* kProblemTexts[] = {
    "there is no clip, because it did not fail again when it was recorded; heddle check -- PROGRAM names the cause",
    "the clip cannot be read",
    "not shrunk: ",
    "it fails in every order of its threads: not a concurrency bug",
    "the clip does not fail again",
    "not explained: ",
    "no breakpoints: ",
    "no set of breakpoints makes it fail in every native run",
    "the whole run was not written: ",
    "",
    "not examined, because the time is over; give --time more, or type the commands below",
};
static_assert(std::size(kProblemTexts) == static_cast<std::size_t>(hunt::BugProblem::Kind::NoTime) + 1);

std::string problem_text(const hunt::BugProblem& problem) {
  return kProblemTexts[static_cast<std::size_t>(problem.kind)] + problem.why;
}

Json bug_json(const Bug& bug) {
  Json json = {{"kind", run::outcome_word(bug.outcome.kind)},
               {"signature", bug.outcome.signature},
               {"message", bug.outcome.message},
               {"found_by", bug.found_by},
               {"clip", nullable(bug.clip)},
               {"early_timeout", bug.early_timeout}};
  json["shrunk"] = nullptr;
  if (bug.shrunk) {
    const shrink::Size& size = bug.shrunk->after;
    json["shrunk"] = {{"threads", size.threads},
                      {"preemptions", size.preemptions},
                      {"switches", size.switches},
                      {"events", size.events}};
  }
  json["cause"] = bug.explanation ? explain_json(*bug.explanation)["cause"] : Json(nullptr);
  json["also"] = bug.also;
  json["report"] = nullable(bug.report);
  json["patch"] = nullable(bug.patch);
  json["perfetto"] = nullable(bug.perfetto);
  json["problems"] = Json::array();
  for (const hunt::BugProblem& problem : bug.problems) json["problems"].push_back(problem_text(problem));
  return json;
}

constexpr const char* kPhaseWords[] = {"explore", "predict", "shrink", "explain", "breakpoints"};
static_assert(std::size(kPhaseWords) == static_cast<std::size_t>(hunt::HuntPhase::Breakpoints) + 1);

std::string doing_text(const explore::Progress& progress) {
  return counted(progress.schedules, "schedule") + ", " + counted(progress.covered_pairs, "covered pair") +
         (progress.failures == 0 ? "" : ", " + counted(progress.failures, "failure"));
}
std::string doing_text(const shrink::Progress& progress) {
  return counted(progress.size.threads, "thread") + ", " + counted(progress.size.preemptions, "preemption") + " left";
}
std::string doing_text(const experiment::Progress& progress) { return progress_text(progress); }

std::string cause_line(const Bug& bug) {
  if (!bug.explanation) return "the cause was not searched";
  return std::string(explain::cause_kind_word(bug.explanation->cause.kind)) + ": " + cause_text(*bug.explanation);
}

std::string commands_of(const Bug& bug) {
  return "replay:  " + command_text({"heddle", "replay", bug.clip}) +
         "\nexplain: " + command_text({"heddle", "explain", bug.clip}) +
         "\ndebug:   " + command_text({"heddle", "debug", bug.clip}) + "\n";
}

SarifPlace sarif_place(const explain::SourceLocation& place, const std::string& text) {
  return {place.file, place.line, 0, place.function, text};
}

SarifFinding sarif_finding(const Bug& bug) {
  SarifFinding finding;
  finding.rule = run::outcome_word(bug.outcome.kind);
  finding.message = bug.outcome.signature + "\n" + cause_line(bug);
  finding.signature = bug.outcome.signature;
  finding.properties = {{"clip", bug.clip}, {"replay", command_text({"heddle", "replay", bug.clip})}};
  if (!bug.explanation) return finding;
  const explain::Explanation& explanation = *bug.explanation;
  finding.properties["cause"] = explain::cause_kind_word(explanation.cause.kind);
  for (const explain::CauseAccess& access : explanation.cause.accesses) {
    finding.place = sarif_place(access.place, "thread " + access.thread + ": " + access_text(access));
    finding.related.push_back(finding.place);
  }
  for (const explain::Step& step : explanation.steps) {
    const bool failed = step.kind == explain::StepKind::Failure;
    if ((step.kind != explain::StepKind::Event && !failed) || step.place.file.empty()) continue;
    const std::string action = failed ? run::outcome_word(explanation.outcome.kind) : action_text(step);
    const std::string object = object_text(step), value = failed ? explanation.outcome.message : value_text(step);
    if (failed) finding.place = sarif_place(step.place, value);
    const std::string text = action + (object.empty() ? "" : " " + object) + (value.empty() ? "" : " = " + value);
    finding.steps.push_back({explanation.threads[step.thread].thread, sarif_place(step.place, text)});
  }
  return finding;
}

}  // namespace

Json hunt_json(const hunt::HuntReport& report, const std::string& index) {
  Json json = {{"seconds", report.seconds},
               {"schedules", report.schedules},
               {"distinct_schedules", report.distinct_schedules},
               {"confirmed_anomalies", report.confirmed_anomalies}};
  json["bugs"] = Json::array();
  for (const Bug& bug : report.bugs) json["bugs"].push_back(bug_json(bug));
  json["assertions"] = assertions_json(report.units);
  json["index"] = nullable(index);
  json["seconds_per_run"] = report.seconds_per_run > 0 ? Json(report.seconds_per_run) : Json(nullptr);
  json["out_of_time"] = report.out_of_time;
  json["interrupted"] = report.interrupted;
  json["problems"] = report.problems;
  return json;
}

std::pair<std::string, std::string> hunt_progress_text(const hunt::HuntProgress& progress) {
  std::string text = progress.signature.empty() ? "" : progress.signature + ": ";
  text += std::visit([](const auto& doing) { return doing_text(doing); }, progress.doing);
  if (progress.bugs != 0) text += "; " + counted(progress.bugs, "bug") + " so far";
  return {kPhaseWords[static_cast<std::size_t>(progress.phase)], text};
}

std::string hunt_text(const hunt::HuntReport& report, const std::string& index) {
  std::string text;
  for (std::size_t i = 0; i < report.bugs.size(); ++i) {
    const Bug& bug = report.bugs[i];
    text += fmt::format("bug {} of {}: {}\n", i + 1, report.bugs.size(), one_printable_line(bug.outcome.signature));
    for (const std::string& also : bug.also) text += "also seen as: " + one_printable_line(also) + "\n";
    text += wrapped_text(cause_line(bug));
    if (bug.shrunk) {
      text +=
          fmt::format("{}, {}, {} (were {}, {}, {})\n", counted(bug.shrunk->after.threads, "thread"),
                      counted(bug.shrunk->after.preemptions, "preemption"), counted(bug.shrunk->after.events, "event"),
                      bug.shrunk->before.threads, bug.shrunk->before.preemptions, bug.shrunk->before.events);
    }
    for (const hunt::BugProblem& problem : bug.problems) text += wrapped_text("note: " + problem_text(problem));
    if (!bug.clip.empty()) text += commands_of(bug);
    if (!bug.patch.empty()) text += "breakpoints: " + command_text({"patch", "-p1", "-i", bug.patch}) + "\n";
    if (!bug.perfetto.empty()) text += "whole run: " + bug.perfetto + " (open it in ui.perfetto.dev)\n";
    if (!bug.report.empty()) text += "report:  " + bug.report + "\n";
    text += "\n";
  }
  if (report.out_of_time) text += slow_text(report.schedules, report.seconds, report.seconds_per_run);
  if (report.bugs.empty() && report.schedules != 0) text += "no bug was found\n" + ndebug_text(report.units);
  text += fmt::format("{}, {} distinct; {} confirmed by execution; {:.1f} s\n", counted(report.schedules, "schedule"),
                      report.distinct_schedules, counted(report.confirmed_anomalies, "prediction"), report.seconds);
  if (!index.empty()) text += "all reports: " + index + "\n";
  for (const std::string& problem : report.problems) text += wrapped_text("note: " + problem);
  return text;
}

std::string hunt_junit(const hunt::HuntReport& report, const std::string& program) {
  const std::string name = std::filesystem::path(program).filename().string();
  std::vector<JunitCase> cases;
  for (const Bug& bug : report.bugs) {
    JunitCase one;
    one.suite = name;
    one.name = bug.outcome.signature;
    one.kind = JunitCase::Kind::Failure;
    one.type = run::outcome_word(bug.outcome.kind);
    one.message = cause_line(bug);
    if (bug.explanation) one.text = explain_text(*bug.explanation, false);
    one.output = commands_of(bug);
    cases.push_back(std::move(one));
  }
  if (cases.empty()) {
    JunitCase passed;
    passed.suite = name;
    passed.name = "hunt";
    passed.seconds = report.seconds;
    cases.push_back(std::move(passed));
  }
  return junit_xml(
      "hunt",
      {{"schedules", std::to_string(report.schedules)}, {"ndebug_units", std::to_string(report.units.ndebug.size())}},
      cases);
}

std::string hunt_sarif(const hunt::HuntReport& report, const std::string& tool_version,
                       const std::string& source_root) {
  std::vector<SarifFinding> findings;
  for (const Bug& bug : report.bugs) findings.push_back(sarif_finding(bug));
  return sarif_log(findings, tool_version, source_root);
}

}  // namespace heddle::report
