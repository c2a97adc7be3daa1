#pragma once
// Whether accesses are told in one word of the ring each (format/compact_access.h).
#include <cstdint>

#include "abi/hooks.h"

namespace heddle::runtime {

// A run begins that somebody hears from its first word on: nothing is introduced yet. REQUIRES: the session is
// attached.
void begin_short_way();
// An access of the site is told at length, after which others may be told in short; ranges if they have the same
// `size`.
__attribute__((preserve_most)) void introduce(HeddleSite& site, std::uint64_t size);
// These sites are about to be unloaded.
void forget_introduced_of(const HeddleSite* begin, const HeddleSite* end);

}  // namespace heddle::runtime
