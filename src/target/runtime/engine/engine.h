#pragma once
// How the turn is handed over. Two ways behind one interface: fibers on one kernel thread, for speed; a kernel thread
// for each program thread, for debuggers and for what fibers cannot carry.
#include <pthread.h>

#include "format/run_config.h"
#include "runtime/schedule/thread.h"

namespace heddle::runtime {

void initialise_engine(format::EngineKind kind);
bool engine_is_fiber();

// Gives `thread` a kernel thread and comes back when it is ready to be given the turn. Returns 0 or an errno value.
int start_thread(Thread* thread, const pthread_attr_t* attributes);

// Hands the turn from `from` to `to`; comes back when `from` has it again. REQUIRES: from != to.
void transfer_turn(Thread* from, Thread* to);
// The same for a thread that will never run again. Comes back on the thread engine, where the kernel thread has still
// to end by returning; nothing of the scheduler may be touched then.
void transfer_turn_at_exit(Thread* from, Thread* to);

// Lets the kernel thread of an exited program thread end, and joins it. Called by whoever has the turn.
void retire_thread(Thread* thread);

// Runs a thread's whole life: start routine, pthread_exit and cancellation caught, destructors. Defined by
// interpose/threads.cpp, called by both engines on the thread itself.
void thread_main(Thread* thread);

}  // namespace heddle::runtime
