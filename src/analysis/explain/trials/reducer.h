#pragma once
#include "explain/trials/program_oracle.h"

namespace heddle::explain {

// Greedily removes preemptions while the program still fails in the same way. A preemption is removed by letting the
// thread continue, or by letting it start later. A remaining preemption inside a critical section is moved out of the
// section if possible, because there it hides what the section protects.
Result<Recording> reduce_preemptions(ProgramOracle& oracle, Recording failing);

}  // namespace heddle::explain
