#pragma once
#include <string>

#include "report/run_json.h"
#include "slice/failure_slice.h"

namespace heddle::report {

Json slice_json(const slice::FailureSlice& slice);
std::string slice_text(const slice::FailureSlice& slice);

}  // namespace heddle::report
