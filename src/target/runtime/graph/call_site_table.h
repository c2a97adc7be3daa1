#pragma once
// Places of calls as the session of a graphed run keeps them (format::GraphCallSite), for any number of threads at
// once.
#include "runtime/record/call_chain.h"

namespace heddle::runtime {

bool wants_graph_call_sites();
// Its number; kNoSite: there is no room.
SiteId put_graph_call_site(const Chain& chain);
// From the runtime up to the program, in a run without control. `entered_from`: where the interposed function returns
// to; one stack pointer is common to many of them. kNoSite: no code of the program called.
SiteId find_native_call_site(const void* entered_from);

}  // namespace heddle::runtime
