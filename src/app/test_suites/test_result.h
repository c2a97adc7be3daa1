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
// REQUIRES: the program ended under control: not Running, Diverged or Uncontrolled.
TestStatus status_of(format::OutcomeKind kind);

struct TestResult {
  TestCase test;
  TestStatus status = TestStatus::Passed;
  bool uncontrolled = false;  // skipped because Heddle could not control it; `message` has the reason
  std::uint64_t schedules = 0;
  std::uint64_t seed = 0;
  double seconds = 0;

  // Of the failing schedule:
  std::uint64_t schedule_index = 0;
  run::RunReport run;   // without its schedule, which is in the clip
  std::string message;  // assertion texts or the message of the runtime; for skipped tests the reason
  std::string file;     // of the failure; empty: unknown
  std::uint32_t line = 0;
  std::string clip;  // path; empty: none
  std::vector<std::string> replay_command;
  std::vector<clip::ClipSwitch> preemptions;

  std::vector<std::string> problems;  // one line each, for the user

  bool failed() const { return status != TestStatus::Passed && status != TestStatus::Skipped; }
};

// The results so far; also complete after an interrupt.
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
