#pragma once
#include <cstdint>
#include <vector>

namespace heddle::predict {

// A directed graph as lists of successors.
using Graph = std::vector<std::vector<std::uint32_t>>;

// The number of each vertex's strongly connected component, or kAcyclic for vertices outside of all cycles.
inline constexpr std::uint32_t kAcyclic = 0xffffffffu;
std::vector<std::uint32_t> cyclic_components(const Graph& graph);

}  // namespace heddle::predict
