#pragma once
// Hosts that are made in advance. A fiber needs the stack and the thread-local storage of its host, but not its kernel
// thread. A copy of the process has none of the old kernel threads, yet it can run fibers on hosts that were made
// before the copy, and starting a thread then costs no system call. When a fiber has ended, its host is restored to its
// first state and used for another fiber.
#include "runtime/schedule/thread.h"

namespace heddle::runtime {

// Makes as many hosts as the session configures.
void prepare_hosts();
// Gives `thread` a prepared host; false if none is left.
bool take_prepared_host(Thread* thread);
// Takes back the host of an exited and joined thread; false if it was not a prepared one.
bool return_prepared_host(Thread* thread);

}  // namespace heddle::runtime
