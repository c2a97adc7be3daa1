#pragma once
#include "explain/explanation.h"
#include "report/run_json.h"

namespace heddle::report {

// The document of `heddle explain`.
Json explain_json(const explain::Explanation& explanation);

}  // namespace heddle::report
