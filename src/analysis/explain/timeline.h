#pragma once
#include "explain/cause.h"
#include "explain/explanation.h"
#include "explain/trials/pattern.h"
#include "explain/trials/program_oracle.h"

namespace heddle::explain {

// Fills in the steps and threads: of the failing run what matters, around the cause and up to the failure. What is left
// out in one thread's stretch is folded into one step.
void build_timeline(const Observed& failing, const CauseDraft& cause, ProgramOracle& oracle, Explanation& explanation);

}  // namespace heddle::explain
