#pragma once
#include <string>

#include "test_suites/clip_suite.h"
#include "test_suites/test_result.h"

namespace heddle::report {

// One line, and for a failing test what happened and how to see it again.
std::string test_result_text(const test_suites::TestResult& result);
// What remains to be said when all tests have run.
std::string test_summary_text(const test_suites::TestReport& report);

std::string clip_result_text(const test_suites::ClipResult& result);
std::string clips_summary_text(const test_suites::ClipReport& report);

}  // namespace heddle::report
