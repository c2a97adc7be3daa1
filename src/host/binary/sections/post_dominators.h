#pragma once
#include <cstdint>
#include <vector>

namespace heddle::binary {

// By block: the one where all ways from it meet again (its immediate post-dominator); the number of blocks where there
// is none before the function ends. Ways from which the function does not return - a failed assertion, an exception
// that leaves it - do not count: otherwise everything after a check would depend on the check. `returns`: the function
// may end there.
std::vector<std::uint32_t> joins_of(const std::vector<std::vector<std::uint32_t>>& successors,
                                    const std::vector<bool>& returns);

}  // namespace heddle::binary
