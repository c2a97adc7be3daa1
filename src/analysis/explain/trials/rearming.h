#pragma once
#include "explain/trials/program_oracle.h"

namespace heddle::explain {

// Translates the order of a run with few armed sites for an oracle that arms more sites, and so counts more points. The
// oracle runs the program up to each switch in turn and counts the points passed there. `numbers`: threads of
// `recording`. REQUIRES: both runs are of one build.
Result<experiment::Turns> translate_order(const Recording& recording, const ThreadNumbers& numbers,
                                          ProgramOracle& oracle);

}  // namespace heddle::explain
