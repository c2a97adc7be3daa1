#pragma once
// Numbers and holders of synchronisation objects.
#include <cstdint>

#include "base/ids.h"

namespace heddle::runtime {

// Who holds a lock, for reports and for misuse. kNoThread: nobody. For readers-writer locks only the writer.
void set_holder(const void* lock, ThreadId holder);
ThreadId holder_of(const void* lock);
// Small numbers in order of first use; what hashes, strategies and reports know objects by.
std::uint32_t object_number(const void* object);
// The same for memory that is accessed, eight bytes each, in numbers of its own: whether they are asked for must not
// change those of the objects, which are in the event hash. REQUIRES: address > 7.
std::uint64_t location_number(const void* address);
// The object's life is over: a new one at this address starts afresh.
void forget_object(const void* object);

}  // namespace heddle::runtime
