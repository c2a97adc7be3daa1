#pragma once
// Ending a thread early: pthread_exit and pthread_cancel.
#include "runtime/schedule/thread.h"

namespace heddle::runtime {

// A cancellation point: unwinds the current thread if a cancellation is pending and not disabled.
void test_cancellation();

// Calls `function(argument)`; returns when it has returned, or when the thread was ended inside it by pthread_exit or a
// cancellation, its cleanup handlers and destructors run. Then `exiting` is set on the current thread.
void catch_thread_exit(void (*function)(void*), void* argument);

// The rest of a thread's life: its thread-local destructors and keys, then others go on. On the thread engine it comes
// back, to let the kernel thread return.
void thread_exited(Thread* thread);

}  // namespace heddle::runtime
