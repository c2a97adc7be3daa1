#pragma once
// Numbers and holders of synchronisation objects.
#include <cstdint>

#include "base/ids.h"

namespace heddle::runtime {

// The thread that holds a lock, for reports and for detecting misuse; kNoThread if it is free. Of a readers-writer
// lock, the writer only.
void set_holder(const void* lock, ThreadId holder);
ThreadId holder_of(const void* lock);
// Numbers in order of first use. They identify objects in hashes, strategies and reports.
std::uint32_t object_number(const void* object);
// The same for accessed memory, one number per eight bytes. It has numbers of its own, because numbering accesses must
// not change the object numbers, which are part of the event hash. REQUIRES: address > 7.
std::uint64_t location_number(const void* address);
// The object was destroyed: a new object at this address gets a new number.
void forget_object(const void* object);

}  // namespace heddle::runtime
