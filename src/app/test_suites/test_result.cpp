#include "test_suites/test_result.h"

#include <algorithm>

#include "support/check.h"

namespace heddle::test_suites {

using format::OutcomeKind;

const char* status_word(TestStatus status) {
  constexpr const char* kWords[] = {"passed", "failed", "crashed", "deadlock", "timeout", "skipped"};
  static_assert(std::size(kWords) == static_cast<std::size_t>(TestStatus::Skipped) + 1);
  return kWords[static_cast<std::size_t>(status)];
}

TestStatus status_of(OutcomeKind kind) {
  switch (kind) {
    case OutcomeKind::Ok:
      return TestStatus::Passed;
    case OutcomeKind::Assert:
    case OutcomeKind::Exit:
    case OutcomeKind::Predicate:
      return TestStatus::Failed;
    case OutcomeKind::Abort:
    case OutcomeKind::Signal:
    case OutcomeKind::Misuse:
    case OutcomeKind::UseAfterFree:
      return TestStatus::Crashed;
    case OutcomeKind::Deadlock:
    case OutcomeKind::LostWakeup:
      return TestStatus::Deadlock;
    case OutcomeKind::Livelock:
    case OutcomeKind::Timeout:
      return TestStatus::Timeout;
    case OutcomeKind::Running:
    case OutcomeKind::Diverged:
    case OutcomeKind::Uncontrolled:
      break;
  }
  HEDDLE_CHECK(false);
  return TestStatus::Skipped;
}

std::size_t TestReport::count(TestStatus status) const {
  return static_cast<std::size_t>(
      std::count_if(results.begin(), results.end(), [&](const TestResult& result) { return result.status == status; }));
}

bool TestReport::any_failed() const {
  return std::any_of(results.begin(), results.end(), [](const TestResult& result) { return result.failed(); });
}

bool TestReport::any_uncontrolled() const {
  return std::any_of(results.begin(), results.end(), [](const TestResult& result) { return result.uncontrolled; });
}

}  // namespace heddle::test_suites
