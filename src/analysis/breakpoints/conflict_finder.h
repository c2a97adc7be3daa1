#pragma once
#include <vector>

#include "breakpoints/rendezvous.h"
#include "breakpoints/sources.h"
#include "explain/trials/pattern.h"
#include "explain/trials/program_oracle.h"

namespace heddle::breakpoints {

// The meetings that may have made a recorded run fail, the likeliest first: for a deadlock the threads before the locks
// that they never got; for every stretch of a thread the last one of each other thread before it that touches the same
// memory or waits for the same thing, in that order. With `sources` such as can be written into them.
std::vector<Rendezvous> find_meetings(const explain::Observed& failing, explain::ProgramOracle& oracle,
                                      Sources* sources);

}  // namespace heddle::breakpoints
