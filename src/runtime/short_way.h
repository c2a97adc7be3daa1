#pragma once
// Whether accesses are told in one word of the ring each (format/compact_access.h).

namespace heddle::runtime {

// A run begins that somebody hears from its first word on: nothing is introduced yet. REQUIRES: the session is attached.
void begin_short_way();

}  // namespace heddle::runtime
