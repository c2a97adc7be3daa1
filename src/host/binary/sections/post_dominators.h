#pragma once
#include <cstdint>
#include <vector>

namespace heddle::binary {

using BlockGraph = std::vector<std::vector<std::uint32_t>>;  // successors by block

// The immediate post-dominator of each block, where all paths from it meet; the number of blocks if they meet only at
// the end of the function. Ignores paths on which the function does not return, such as a failed assertion or an
// escaping exception: otherwise all code after a check would depend on the check. `returns`: blocks that may end the
// function.
std::vector<std::uint32_t> joins_of(const BlockGraph& successors, const std::vector<bool>& returns);

// The blocks that are reachable from `start`, including it.
std::vector<bool> reachable_from(const BlockGraph& graph, std::uint32_t start);

}  // namespace heddle::binary
