#include "report/findings/test_report.h"

#include <fmt/format.h>

#include "report/findings/source_units_report.h"
#include "report/run_text.h"
#include "support/counted.h"

namespace heddle::report {
namespace {

using test_suites::TestStatus;

Json result_json(const test_suites::TestResult& result) {
  Json json = {{"name", result.test.full_name()},
               {"status", test_suites::status_word(result.status)},
               {"schedules", result.schedules},
               {"seconds", result.seconds},
               {"seed", result.seed},
               {"clip", nullable(result.clip)},
               {"replay", nullable(command_text(result.replay_command))}};
  const bool ran_badly = result.run.outcome.failed();
  json["kind"] = ran_badly ? Json(run::outcome_word(result.run.outcome.kind)) : Json(nullptr);
  json["signature"] = ran_badly ? Json(result.run.outcome.signature) : Json(nullptr);
  json["schedule_index"] = ran_badly ? Json(result.schedule_index) : Json(nullptr);
  json["message"] = nullable(result.message);
  json["file"] = nullable(result.file);
  json["line"] = result.file.empty() ? Json(nullptr) : Json(result.line);
  json["parameter"] = nullable(result.test.parameter);
  json["uncontrolled"] = result.uncontrolled;
  json["problems"] = result.problems;
  return json;
}

Json clip_json(const test_suites::ClipResult& result) {
  Json json = {{"clip", result.clip},
               {"verdict", run::verdict_word(result.verdict)},
               {"expected", nullable(result.expected)},
               {"seconds", result.seconds},
               {"problem", nullable(result.problem)}};
  if (result.replay.runs == 0) return json;
  json["exact"] = result.replay.exact;
  json["preemptions_met"] = result.replay.preemptions_met;
  json["preemptions_total"] = result.replay.preemptions_total;
  json["outcome"] = outcome_json(result.replay.last.outcome);
  json["assertions"] = assertions_json(result.replay.units);
  return json;
}

std::string indented(const std::string& text) {
  std::string result;
  std::size_t at = 0;
  while (at < text.size()) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    result += "    " + text.substr(at, end - at) + "\n";
    at = end + 1;
  }
  return result;
}

const char* verdict_phrase(run::Verdict verdict) {
  constexpr const char* kWords[] = {"still fails", "fixed", "no verdict"};
  static_assert(std::size(kWords) == static_cast<std::size_t>(run::Verdict::NoVerdict) + 1);
  return kWords[static_cast<std::size_t>(verdict)];
}

}  // namespace

Json test_json(const test_suites::TestReport& report) {
  Json tests = Json::array();
  for (const test_suites::TestResult& result : report.results) tests.push_back(result_json(result));
  Json json = {{"program", report.program},
               {"strategy", report.strategy},
               {"seed", report.seed},
               {"seconds", report.seconds},
               {"tests_total", report.tests_total}};
  for (const TestStatus status : {TestStatus::Passed, TestStatus::Failed, TestStatus::Crashed, TestStatus::Deadlock,
                                  TestStatus::Timeout, TestStatus::Skipped})
    json["counts"][test_suites::status_word(status)] = report.count(status);
  json["tests"] = std::move(tests);
  json["assertions"] = assertions_json(report.units);
  json["interrupted"] = report.interrupted;
  return json;
}

Json clips_json(const test_suites::ClipReport& report) {
  Json clips = Json::array();
  for (const test_suites::ClipResult& result : report.results) clips.push_back(clip_json(result));
  Json json = {{"seconds", report.seconds}};
  for (const run::Verdict verdict : {run::Verdict::Reproduced, run::Verdict::Fixed, run::Verdict::NoVerdict})
    json["counts"][run::verdict_word(verdict)] = report.count(verdict);
  json["clips"] = std::move(clips);
  json["interrupted"] = report.interrupted;
  return json;
}

std::string test_result_text(const test_suites::TestResult& result) {
  std::string text = fmt::format("{:<8}  {}", test_suites::status_word(result.status), result.test.full_name());
  if (result.status == TestStatus::Skipped) return text + ": " + result.message + "\n";
  text += fmt::format("  ({}, {:.1f} s)\n", counted(result.schedules, "schedule"), result.seconds);
  if (!result.failed()) return text;
  if (!result.message.empty()) text += indented(result.message);
  if (result.run.outcome.failed()) text += indented(run_text(result.run));
  if (!result.replay_command.empty())
    text += "    " + std::string(result.clip.empty() ? "run it" : "replay it") +
            " with: " + command_text(result.replay_command) + "\n";
  for (const std::string& problem : result.problems) text += indented(problem);
  return text;
}

std::string test_summary_text(const test_suites::TestReport& report) {
  std::string text =
      fmt::format("{} of {} tests in {:.1f} s:", report.results.size(), report.tests_total, report.seconds);
  for (const TestStatus status : {TestStatus::Passed, TestStatus::Failed, TestStatus::Crashed, TestStatus::Deadlock,
                                  TestStatus::Timeout, TestStatus::Skipped}) {
    const std::size_t count = report.count(status);
    if (count != 0) text += fmt::format(" {} {}", count, test_suites::status_word(status));
  }
  text += "\n";
  return report.any_failed() ? text : text + ndebug_text(report.units);
}

std::string clip_result_text(const test_suites::ClipResult& result) {
  std::string text = fmt::format("{:<11}  {}", verdict_phrase(result.verdict), result.clip);
  if (!result.problem.empty()) return text + ": " + result.problem + "\n";
  text += result.replay.exact ? " (same build)"
                              : fmt::format(" ({} of {} preemptions met)", result.replay.preemptions_met,
                                            result.replay.preemptions_total);
  text += ": " + result.expected;
  if (result.verdict == run::Verdict::NoVerdict)
    text += fmt::format("; the outcome is now {}", run::outcome_word(result.replay.last.outcome.kind));
  return text + "\n";
}

std::string clips_summary_text(const test_suites::ClipReport& report) {
  std::string text =
      fmt::format("{} in {:.1f} s: {} still fail, {} fixed, {} without a verdict\n",
                  counted(report.results.size(), "clip"), report.seconds, report.count(run::Verdict::Reproduced),
                  report.count(run::Verdict::Fixed), report.count(run::Verdict::NoVerdict));
  // The note of one program suffices, because clips of one folder usually use one kind of build.
  for (const test_suites::ClipResult& result : report.results) {
    if (result.verdict == run::Verdict::Reproduced || result.replay.units.ndebug.empty()) continue;
    return text + ndebug_text(result.replay.units);
  }
  return text;
}

}  // namespace heddle::report
