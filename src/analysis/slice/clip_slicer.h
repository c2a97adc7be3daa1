#pragma once
#include "clip/clip.h"
#include "run/replay/replayer.h"
#include "slice/failure_slice.h"
#include "support/result.h"

namespace heddle::slice {

// Runs the clip once more, with everything armed, and slices it from its failure. Fails when the program was not built
// for it or the clip does not fail any more.
Result<FailureSlice> slice_clip(const clip::Clip& clip, const run::ReplayOptions& options);

}  // namespace heddle::slice
