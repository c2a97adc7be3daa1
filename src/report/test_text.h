#pragma once
#include <string>

#include "testing/clip_suite.h"
#include "testing/test_result.h"

namespace heddle::report {

// One line, and for a failing test what happened and how to see it again.
std::string test_result_text(const testing::TestResult& result);
// What remains to be said when all tests have run.
std::string test_summary_text(const testing::TestReport& report);

std::string clip_result_text(const testing::ClipResult& result);
std::string clips_summary_text(const testing::ClipReport& report);

}  // namespace heddle::report
