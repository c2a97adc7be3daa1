#pragma once
#include "run/run_options.h"
#include "run/runner.h"
#include "support/result.h"

namespace heddle::run {

// A profile run with everything armed and recorded finds out which sites touch shared memory. Leaves in `options` an
// armed set without those that were seen and never did; sites that were not seen stay armed. Returns how many were
// disarmed.
Result<std::size_t> arm_shared_sites(RunOptions& options, Runner& runner);

}  // namespace heddle::run
