#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "clip/clip.h"
#include "clip/source_units.h"
#include "run/record/run_report.h"
#include "test_suites/test_case.h"

namespace heddle::test_suites {

enum class TestStatus { Passed, Failed, Crashed, Deadlock, Timeout, Skipped };

const char* status_word(TestStatus status);
// REQUIRES: the outcome is one of the program's, not Diverged or Uncontrolled.
TestStatus status_of(format::OutcomeKind kind);

struct TestResult {
  TestCase test;
  TestStatus status = TestStatus::Passed;
  bool uncontrolled = false;  // Skipped because Heddle could not run it to its end; `message` says why
  std::uint64_t schedules = 0;
  std::uint64_t seed = 0;
  double seconds = 0;

  // Of the failing schedule.
  std::uint64_t schedule_index = 0;
  run::RunReport run;   // without its decisions, which are in the clip
  std::string message;  // assertion texts, what the runtime says; or why it was skipped
  std::string file;     // where it failed; empty: unknown
  std::uint32_t line = 0;
  std::string clip;  // path; empty: there is none
  std::vector<std::string> replay_command;
  std::vector<clip::ClipSwitch> preemptions;

  std::vector<std::string> problems;  // what the user should know besides

  bool failed() const { return status != TestStatus::Passed && status != TestStatus::Skipped; }
};

// What is known after each test; a run that is cut short keeps what it has.
struct TestReport {
  std::string program;
  std::string strategy;
  std::uint64_t seed = 0;
  double seconds = 0;
  std::size_t tests_total = 0;
  std::vector<TestResult> results;  // in the program's order
  clip::SourceUnits units;
  bool interrupted = false;

  std::size_t count(TestStatus status) const;
  bool any_failed() const;
  bool any_uncontrolled() const;
};

}  // namespace heddle::test_suites
