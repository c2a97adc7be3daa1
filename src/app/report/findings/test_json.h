#pragma once
#include "report/run_json.h"
#include "test_suites/clip_suite.h"
#include "test_suites/test_result.h"

namespace heddle::report {

// The document of `heddle test`.
Json test_json(const test_suites::TestReport& report);
// The document of `heddle test --clips`.
Json clips_json(const test_suites::ClipReport& report);

}  // namespace heddle::report
