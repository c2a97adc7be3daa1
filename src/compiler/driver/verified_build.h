#pragma once
#include <string>
#include <vector>

namespace heddle::instrument {

// Builds a production program, runs `verifier` (heddle-verify) to find loops whose counters a core would not show, and
// builds the program again with more expensive counters for these loops. Returns clang's exit code.
int build_verified(const std::vector<std::string>& clang, const std::string& verifier, const std::string& program);

}  // namespace heddle::instrument
