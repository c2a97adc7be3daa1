#pragma once
#include "explain/recording/recording.h"
#include "explain/trials/program_oracle.h"
#include "support/result.h"

namespace heddle::explain {

// The order of a run in which only some sites were armed, in the terms of a oracle that arms more of them: how many
// points each thread has done when it is stopped is found out by running up to there, stretch by stretch. REQUIRES:
// `recording` was made from the same build.
Result<experiment::Turns> translate_order(const Recording& recording, const ThreadNumbers& numbers,
                                          ProgramOracle& oracle);

}  // namespace heddle::explain
