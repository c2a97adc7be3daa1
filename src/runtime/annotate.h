#pragma once
// Extra work in runs that are made to describe a clip: which occurrence of its site a switch is at, and the stack there;
// and what a debugger sees.
#include "runtime/thread.h"

namespace heddle::runtime {

// Counts what `thread` is about to do, by site, or by kind where there is no site.
void count_occurrence(Thread* thread);
// After a Switch record: occurrence and frames, when the session asks for it.
void annotate_switch(Thread* thread);

// Stacks for failure reports: a blocked thread, given the turn for this only, writes its own.
void answer_stack_request();

void debug_switch(Thread* from, Thread* to);
void debug_thread_created(Thread* thread);
void debug_thread_named(Thread* thread);

}  // namespace heddle::runtime
