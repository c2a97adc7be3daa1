#pragma once
// The modules of the process, their sites, and which of these are armed.
#include "abi/hooks.h"
#include "base/ids.h"

namespace heddle::runtime {

// Adds the modules that the dynamic loader has loaded since the last call to the session's result, with their
// build-ids, and reports each to the host through the ring.
void note_loaded_modules();
void disarm_all_modules();
// nullptr: not a site of this run.
const HeddleSite* site_row(SiteId site);

}  // namespace heddle::runtime
