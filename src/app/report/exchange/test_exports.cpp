#include "report/exchange/test_exports.h"

#include <fmt/format.h>

#include <filesystem>

#include "report/exchange/junit.h"
#include "report/exchange/sarif.h"
#include "report/run_text.h"

namespace heddle::report {
namespace {

using test_suites::TestStatus;

std::string file_name(const std::string& path) { return std::filesystem::path(path).filename().string(); }

std::string first_line(const std::string& text) { return text.substr(0, text.find('\n')); }

// One line that identifies the failure.
std::string headline(const test_suites::TestResult& result) {
  const std::string signature = result.run.outcome.failed() ? result.run.outcome.signature : "";
  const std::string message = first_line(result.message);
  return signature + (signature.empty() || message.empty() ? "" : ": ") + message;
}

JunitCase::Kind junit_kind(const test_suites::TestResult& result) {
  if (result.uncontrolled || result.status == TestStatus::Crashed) return JunitCase::Kind::Error;
  if (result.status == TestStatus::Skipped) return JunitCase::Kind::Skipped;
  return result.failed() ? JunitCase::Kind::Failure : JunitCase::Kind::Passed;
}

JunitCase junit_case(const test_suites::TestResult& result, const std::string& program) {
  JunitCase one;
  one.suite = result.test.suite.empty() ? program : result.test.suite;
  one.name = result.test.name;
  one.seconds = result.seconds;
  one.kind = junit_kind(result);
  one.type = result.uncontrolled           ? "uncontrolled"
             : result.run.outcome.failed() ? run::outcome_word(result.run.outcome.kind)
                                           : test_suites::status_word(result.status);
  one.message = headline(result);
  one.text = result.message + "\n" + (result.run.outcome.failed() ? run_text(result.run) : "");
  one.output = fmt::format("schedules: {}, seed: {}\n", result.schedules, result.seed);
  if (!result.replay_command.empty()) one.output += "replay: " + command_text(result.replay_command) + "\n";
  return one;
}

SarifFinding sarif_finding(const test_suites::TestResult& result) {
  SarifFinding finding;
  const run::Outcome& outcome = result.run.outcome;
  finding.rule = run::outcome_word(outcome.failed() ? outcome.kind : format::OutcomeKind::Exit);
  finding.message = result.test.full_name() + ": " + (result.message.empty() ? outcome.signature : result.message);
  finding.place.file = result.file;
  finding.place.line = result.line;
  finding.signature = result.test.full_name() + " " + outcome.signature;
  finding.properties = {{"test", result.test.full_name()},
                        {"status", test_suites::status_word(result.status)},
                        {"seed", std::to_string(result.seed)}};
  if (!result.clip.empty()) finding.properties["clip"] = result.clip;
  if (!result.replay_command.empty()) finding.properties["replay"] = command_text(result.replay_command);
  add_run(finding, result.run, result.preemptions);
  return finding;
}

}  // namespace

std::string test_junit(const test_suites::TestReport& report) {
  const std::string program = file_name(report.program);
  std::vector<JunitCase> cases;
  for (const test_suites::TestResult& result : report.results) cases.push_back(junit_case(result, program));
  return junit_xml(program,
                   {{"seed", std::to_string(report.seed)},
                    {"strategy", report.strategy},
                    {"ndebug_units", std::to_string(report.units.ndebug.size())}},
                   cases);
}

std::string clips_junit(const test_suites::ClipReport& report) {
  std::vector<JunitCase> cases;
  for (const test_suites::ClipResult& result : report.results) {
    JunitCase one;
    one.suite = "clips";
    one.name = result.clip;
    one.seconds = result.seconds;
    one.message = result.problem;
    one.output = "replay: " + command_text({"heddle", "replay", result.clip}) + "\n";
    if (!result.problem.empty()) {
      one.kind = JunitCase::Kind::Error;
      one.type = "uncontrolled";
    } else if (result.verdict == run::Verdict::Reproduced) {
      one.kind = JunitCase::Kind::Failure;
      one.type = run::outcome_word(result.replay.last.outcome.kind);
      one.message = "still fails: " + result.expected;
      one.text = run_text(result.replay.last);
    } else if (result.verdict == run::Verdict::NoVerdict) {
      one.kind = JunitCase::Kind::Skipped;
      one.message =
          "no verdict: the program has changed too much for this clip, or fails in another way; record a new clip";
    }
    cases.push_back(std::move(one));
  }
  return junit_xml("clips", {}, cases);
}

std::string test_sarif(const test_suites::TestReport& report, const std::string& tool_version,
                       const std::string& source_root) {
  std::vector<SarifFinding> findings;
  for (const test_suites::TestResult& result : report.results)
    if (result.failed()) findings.push_back(sarif_finding(result));
  return sarif_log(findings, tool_version, source_root);
}

}  // namespace heddle::report
