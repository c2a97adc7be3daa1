#pragma once
#include <string>

#include "slice/failure_slice.h"
#include "support/result.h"

namespace heddle::slice {

// Slices a run that was recorded with all that it takes (RunOptions::record_flow), without running it again. Fails when
// that is not in the trace, the run has not failed, or its program was built anew since.
Result<FailureSlice> slice_trace(const std::string& path);

}  // namespace heddle::slice
