#pragma once
// Call sites: the places in the program that called an operation without a site of its own, such as a lock, a wait or a
// fork. Only recorded runs look them up (docs/design/011_places_of_synchronisation.md).
#include "base/ids.h"

namespace heddle::runtime {

// The place in the program that called the runtime; kNoSite if there is none, as at the end of a thread. A new call
// site is written to the ring before this returns.
SiteId find_call_site();

}  // namespace heddle::runtime
