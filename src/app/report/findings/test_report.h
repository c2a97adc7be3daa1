#pragma once
#include <string>

#include "report/run_json.h"
#include "test_suites/clip_suite.h"
#include "test_suites/test_result.h"

namespace heddle::report {

// The document of `heddle test`.
Json test_json(const test_suites::TestReport& report);
// The document of `heddle test --clips`.
Json clips_json(const test_suites::ClipReport& report);

// One line; for a failing test also the failure and the command to repeat it.
std::string test_result_text(const test_suites::TestResult& result);
// The counts of all tests.
std::string test_summary_text(const test_suites::TestReport& report);

std::string clip_result_text(const test_suites::ClipResult& result);
std::string clips_summary_text(const test_suites::ClipReport& report);

}  // namespace heddle::report
