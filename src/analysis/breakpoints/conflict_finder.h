#pragma once
#include <vector>

#include "breakpoints/rendezvous.h"
#include "breakpoints/sources.h"
#include "explain/trials/pattern.h"
#include "explain/trials/program_oracle.h"

namespace heddle::breakpoints {

// The rendezvous that may have made a recorded run fail, the likeliest first. For a deadlock: the threads before the
// locks that they wait for. For every turn, from the last one: a conflicting part of the latest turn of each other
// thread, and then the begin of this turn's conflict. With `sources`, only such as can be inserted there.
std::vector<Rendezvous> find_rendezvous(const explain::Observed& failing, explain::ProgramOracle& oracle,
                                        Sources* sources);

}  // namespace heddle::breakpoints
