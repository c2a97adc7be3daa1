#pragma once
#include "explain/cause.h"
#include "explain/explanation.h"
#include "explain/trials/pattern.h"
#include "explain/trials/program_oracle.h"

namespace heddle::explain {

// Fills in the steps and threads of the failing run, from the first preemption or access of the cause up to the
// failure. A step of kind Fold stands for the omitted points of one thread.
void build_timeline(const Observed& failing, const CauseDraft& cause, ProgramOracle& oracle, Explanation& explanation);

}  // namespace heddle::explain
