#pragma once
// The communication graph of the run, on line (Bugaboo's BB-SW): docs/design/016-graphs.md.
#include <cstdint>

#include "abi/hooks.h"

namespace heddle::runtime {

// Reads the session's GraphConfig. Later calls of the others are harmless when no graph is wanted.
void initialise_graph(bool native);

// An access that is about to happen, by the thread that has the turn. Called from hooks, and preserve_most like them.
__attribute__((preserve_most)) void collect_access(const void* address, const HeddleSite* site, std::uint64_t size);

// The same in a run without control: by any thread, at any time.
__attribute__((preserve_most)) void collect_native_access(const void* address, const HeddleSite* site, std::uint64_t size);

}  // namespace heddle::runtime
