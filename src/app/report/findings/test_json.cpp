#include "report/findings/test_json.h"

#include "report/findings/source_units_report.h"
#include "report/run_text.h"

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

}  // namespace heddle::report
