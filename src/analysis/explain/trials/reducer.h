#pragma once
#include "explain/trials/program_oracle.h"

namespace heddle::explain {

// The same failure with as few preemptions as a greedy search finds: each is left out, either by letting the thread go
// on or by letting it begin later, and stays out when the program still fails as it did.
Result<Recording> reduce_preemptions(ProgramOracle& oracle, Recording failing);

}  // namespace heddle::explain
