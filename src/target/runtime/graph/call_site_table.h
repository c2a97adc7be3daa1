#pragma once
// The table of call sites in the session of a run that collects a graph (format::GraphCallSite). Any number of threads
// may use it concurrently.
#include "runtime/record/call_chain.h"

namespace heddle::runtime {

bool wants_graph_call_sites();
// Returns the site of `chain`, which may be new; kNoSite: the table is full.
SiteId put_graph_call_site(const Chain& chain);
// Walks the stack from the runtime to the program's code, in a run without control. `entered_from` is the return
// address of the interposed function, because one stack pointer is common to many calls. kNoSite: no code of the
// program called.
SiteId find_native_call_site(const void* entered_from);

}  // namespace heddle::runtime
