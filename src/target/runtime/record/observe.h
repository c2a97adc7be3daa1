#pragma once
// Observations for a search: the class of equivalent orders that the run belongs to, and the pairs of sites that met
// across threads.
//
// Two orders of the same operations are equivalent if all pairs that conflict (same location, not both reads; same
// synchronisation object) have the same order. The state is the sum, over all operations so far, of a hash of the
// operation (the descent of its thread and its ordinal there) and of the operations that it directly depends on. The
// sum does not depend on the order of independent operations, and no address enters it.
#include <cstdint>

#include "base/ids.h"
#include "runtime/schedule/thread.h"

namespace heddle::runtime {

void initialise_observation();

__attribute__((preserve_most)) void observe_access(EventKind kind, SiteId site, const void* address,
                                                   std::uint64_t size);
// An operation that orders threads, such as synchronisation: all operations on one object conflict.
void observe_operation(EventKind kind, const void* object);
void observe_thread(EventKind kind, const Thread* other);
// A wait that timed out has another future than one that was woken.
void observe_wait_end(EventKind kind, WakeReason reason);

}  // namespace heddle::runtime
