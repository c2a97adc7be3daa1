#pragma once
#include "run/clip.h"
#include "run/replayer.h"
#include "slice/failure_slice.h"
#include "support/result.h"

namespace heddle::slice {

// Runs the clip once more, with everything armed, and slices it from its failure. Fails when the program was not built
// for it or the clip does not fail any more.
Result<FailureSlice> slice_clip(const run::Clip& clip, const run::ReplayOptions& options);

}  // namespace heddle::slice
