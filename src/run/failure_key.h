#pragma once
#include <cstdint>

#include "format/session.h"
#include "run/outcome.h"

namespace heddle::run {

// A number that is the same for the same kind of failure at the same place of one build; 0: it did not fail. What a
// signature is for people, without reading debug information.
std::uint64_t failure_key(const Outcome& outcome, const format::SessionResult& result);

}  // namespace heddle::run
