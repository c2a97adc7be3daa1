#pragma once
// What a search wants to know of a run besides how it ends: to which class of equivalent orders it belongs, and which
// sites met which across threads.
//
// Two orders of the same operations are equivalent when every two that conflict (same location, not both reads; same
// synchronisation object) come in the same order. The state is the sum, over the operations so far, of a hash of the
// operation - thread by descent, how many it made before - and of those that it directly depends on. A sum does not see
// the order of what is independent, and no address enters it.
#include <cstdint>

#include "base/ids.h"
#include "runtime/schedule/thread.h"

namespace heddle::runtime {

void initialise_observation();

__attribute__((preserve_most)) void observe_access(EventKind kind, SiteId site, const void* address,
                                                   std::uint64_t size);
// Synchronisation, or anything else that threads order each other by: all operations on one object conflict.
void observe_operation(EventKind kind, const void* object);
void observe_thread(EventKind kind, const Thread* other);
// A wait that timed out has another future than one that was woken.
void observe_wait_end(EventKind kind, WakeReason reason);

}  // namespace heddle::runtime
