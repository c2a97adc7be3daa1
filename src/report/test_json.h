#pragma once
#include "report/run_json.h"
#include "testing/clip_suite.h"
#include "testing/test_result.h"

namespace heddle::report {

// The document of `heddle test`.
Json test_json(const testing::TestReport& report);
// The document of `heddle test --clips`.
Json clips_json(const testing::ClipReport& report);

}  // namespace heddle::report
