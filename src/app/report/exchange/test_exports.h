#pragma once
#include <string>

#include "test_suites/clip_suite.h"
#include "test_suites/test_result.h"

namespace heddle::report {

// The results of `heddle test` as JUnit XML and SARIF.
std::string test_junit(const test_suites::TestReport& report);
std::string clips_junit(const test_suites::ClipReport& report);
std::string test_sarif(const test_suites::TestReport& report, const std::string& tool_version,
                       const std::string& source_root);

}  // namespace heddle::report
