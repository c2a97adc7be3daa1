#pragma once
// The engine hands the turn from one program thread to another. There are two behind one interface.
//
// - Fiber: all program threads run on the kernel thread of main, and a switch changes stack pointer and FS base
//   (switch.h), for speed. Each still has a kernel thread, its host, which lends its stack and thread-local storage and
//   sleeps until the program thread has exited.
// - Thread: each program thread runs on a kernel thread of its own and waits for its turn on a futex; for debuggers and
//   for operations that depend on the identity of the kernel thread.
//
// Both make the same schedules: the engine never chooses a thread.
#include <pthread.h>

#include "format/run_config.h"
#include "runtime/schedule/thread.h"

namespace heddle::runtime {

void initialise_engine(format::EngineKind kind);
bool engine_is_fiber();

// Starts the kernel thread of `thread` and waits until it is ready to get the turn. Returns 0 or an errno value.
int start_thread(Thread* thread, const pthread_attr_t* attributes);

// Hands the turn from `from` to `to`, and returns when `from` has it again. REQUIRES: from != to.
void transfer_turn(Thread* from, Thread* to);
// The same for a thread that never runs again. Returns on the thread engine only, where the kernel thread ends by
// returning; the caller must not touch the scheduler afterwards.
void transfer_turn_at_exit(Thread* from, Thread* to);

// Lets the kernel thread of an exited program thread end, and joins it. The caller has the turn.
void retire_thread(Thread* thread);

// Runs the start routine and the destructors of a thread, and catches pthread_exit and cancellation. Both engines call
// it on the thread itself. Defined in interpose/threads/threads.cpp.
void thread_main(Thread* thread);

}  // namespace heddle::runtime
