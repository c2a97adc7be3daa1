#pragma once
#include <string>

#include "testing/clip_suite.h"
#include "testing/test_result.h"

namespace heddle::report {

// What `heddle test` found, in the formats of others.
std::string test_junit(const testing::TestReport& report);
std::string clips_junit(const testing::ClipReport& report);
std::string test_sarif(const testing::TestReport& report, const std::string& tool_version,
                       const std::string& source_root);

}  // namespace heddle::report
