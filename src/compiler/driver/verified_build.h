#pragma once
#include <string>
#include <vector>

namespace heddle::instrument {

// Builds a production program, lets `verifier` (heddle-verify) look for loops whose counters a core of it would not show,
// and builds it again with dearer counters for these. Returns clang's exit code.
int build_verified(const std::vector<std::string>& clang, const std::string& verifier, const std::string& program);

}  // namespace heddle::instrument
