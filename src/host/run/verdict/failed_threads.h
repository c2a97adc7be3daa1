#pragma once
#include <cstdint>
#include <vector>

#include "format/run_result.h"

namespace heddle::run {

// Failures that happen at an instruction of one thread; the others are known by everybody's waiting.
bool has_place(format::OutcomeKind kind);

// ThreadIds of those in whom the failure is: who came to it, or who wait, for each other or for what does not come. Who joins
// others only waits for them.
std::vector<std::uint32_t> failed_threads(const format::SessionResult& result);

}  // namespace heddle::run
