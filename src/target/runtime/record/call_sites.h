#pragma once
// Where the program called the operation that an event tells of, for events that have no site of their own: locks,
// waits, forks. Only recorded runs ask (docs/design/011_places_of_synchronisation.md).
#include "base/ids.h"

namespace heddle::runtime {

// The place in the program from which the runtime was entered; kNoSite when there is none (a thread's own end). A new
// one is told to the host by the ring before this returns.
SiteId find_call_site();

}  // namespace heddle::runtime
