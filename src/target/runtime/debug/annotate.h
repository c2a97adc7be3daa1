#pragma once
// Additional records of runs that annotate a clip (the occurrence of a switch at its site, and the stack there), the
// stacks of failure reports, and the state that a debugger reads.
#include "runtime/schedule/scheduler.h"

namespace heddle::runtime {

// Counts the pending operation of `thread` by its site, or by its kind if it has no site.
void count_occurrence(Thread* thread);
// Writes occurrence and frames after a Switch record, if the session has kAnnotate.
[[gnu::cold, gnu::noinline]] void write_annotation(Thread* thread);
inline void annotate_switch(Thread* thread) {
  if (hot.report_switches) [[unlikely]]
    write_annotation(thread);
}

// For failure reports: gives the turn to each thread in sequence, which calls `take` on its own stack.
void collect_stacks(void (*take)(Thread*));
[[gnu::cold, gnu::noinline]] void answer_stack_request();

[[gnu::cold, gnu::noinline]] void notify_debugger(Thread* from, Thread* to);
inline void debug_switch(Thread* from, Thread* to) {
  if (hot.report_switches) [[unlikely]]
    notify_debugger(from, to);
}
void debug_thread_created(Thread* thread);
void debug_thread_named(Thread* thread);

}  // namespace heddle::runtime
