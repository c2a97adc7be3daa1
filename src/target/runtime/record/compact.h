#pragma once
// The compact dictionary: the sites whose accesses take one word of the ring (format/compact_access.h).
#include <cstdint>

#include "abi/hooks.h"

namespace heddle::runtime {

// Starts a run whose ring is read from the first word; the dictionary is empty. REQUIRES: the session is attached.
void begin_compact();
// Adds the site; its next access must be recorded in full. A range has an entry for one `size`.
__attribute__((preserve_most)) void add_compact(HeddleSite& site, std::uint64_t size);
// Removes sites that are about to be unloaded.
void forget_compact_of(const HeddleSite* begin, const HeddleSite* end);

}  // namespace heddle::runtime
