#pragma once
// The compact dictionary: which sites' accesses are recorded in one word of the ring each (format/compact_access.h).
#include <cstdint>

#include "abi/hooks.h"

namespace heddle::runtime {

// A run begins whose ring is read from its first word on: the dictionary is empty. REQUIRES: the session is attached.
void begin_compact();
// An access of the site is recorded in full, after which others may be compact words; ranges if they have the same
// `size`.
__attribute__((preserve_most)) void add_compact(HeddleSite& site, std::uint64_t size);
// These sites are about to be unloaded.
void forget_compact_of(const HeddleSite* begin, const HeddleSite* end);

}  // namespace heddle::runtime
