#pragma once
// Extra work in runs that are made to describe a clip: which occurrence of its site a switch is at, and the stack
// there; and what a debugger sees.
#include "runtime/schedule/scheduler.h"

namespace heddle::runtime {

// Counts what `thread` is about to do, by site, or by kind where there is no site.
void count_occurrence(Thread* thread);
// After a Switch record: occurrence and frames, when the session asks for it.
[[gnu::cold, gnu::noinline]] void write_annotation(Thread* thread);
inline void annotate_switch(Thread* thread) {
  if (hot.report_switches) [[unlikely]]
    write_annotation(thread);
}

// For failure reports: lets each blocked thread write down its own stack, one after the other.
void collect_stacks(void (*take)(Thread*));
[[gnu::cold, gnu::noinline]] void answer_stack_request();

[[gnu::cold, gnu::noinline]] void tell_debugger(Thread* from, Thread* to);
inline void debug_switch(Thread* from, Thread* to) {
  if (hot.report_switches) [[unlikely]]
    tell_debugger(from, to);
}
void debug_thread_created(Thread* thread);
void debug_thread_named(Thread* thread);

}  // namespace heddle::runtime
