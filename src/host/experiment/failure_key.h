#pragma once
#include <cstdint>

#include "format/run_result.h"
#include "run/verdict/outcome.h"

namespace heddle::experiment {

// A number that is the same for the same kind of failure at the same place of one build; 0: it did not fail. What a
// signature is for people, without reading debug information.
std::uint64_t failure_key(const run::Outcome& outcome, const format::SessionResult& result);

}  // namespace heddle::experiment
