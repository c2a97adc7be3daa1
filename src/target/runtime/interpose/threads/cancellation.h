#pragma once
// The end of a thread: pthread_exit, pthread_cancel, and the destructors that then run.
#include "runtime/schedule/scheduler.h"

namespace heddle::runtime {

// A cancellation point: unwinds the current thread if a cancellation is pending and not disabled.
void test_cancellation();

// Blocks the current thread in a wait that signals and cancellations may end.
inline WakeReason block_cancellable(EventKind kind, const void* key, std::uint64_t deadline_ns) {
  return block({.kind = kind, .key = key, .deadline_ns = deadline_ns, .interruptible = true, .cancellable = true});
}

// Calls `function(argument)`. Returns when the function returns, or after pthread_exit or a cancellation inside it has
// unwound it; then the current thread is `exiting`.
void catch_thread_exit(void (*function)(void*), void* argument);

// Runs the destructors of `thread`, which has finished its routine, and gives the turn away. Returns on the thread
// engine only, so that the kernel thread can return.
void thread_exited(Thread* thread);

// Run the destructors of thread_local objects, or of these and of the keys. The ending thread runs them itself while it
// has the turn; glibc would run them later, on the kernel thread, at any time.
void run_local_destructors(Thread* thread);
void run_thread_destructors(Thread* thread);

}  // namespace heddle::runtime
