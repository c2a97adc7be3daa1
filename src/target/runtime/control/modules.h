#pragma once
// Instrumented and other modules of the process, their sites, and which sites are armed.
#include "abi/hooks.h"
#include "base/ids.h"

namespace heddle::runtime {

// Writes what the dynamic loader has loaded so far into the session's result, with build-ids. New modules are told to
// the host through the ring.
void note_loaded_modules();
// Nothing is armed from now on: control has ended.
void disarm_all_modules();
// nullptr: not a site of this run.
const HeddleSite* site_row(SiteId site);

}  // namespace heddle::runtime
