#pragma once
// Waiting for the outside world: descriptors, children. Implemented by runtime/io.
#include <cstdint>

namespace heddle::runtime {

// Some blocked thread waits for something outside of the scheduler's knowledge.
bool outside_awaited();
// Looks, without waiting, whether something outside has happened; makes the threads concerned runnable. True: some
// were.
bool look_outside();
// Something happened (a write, a close ...) that may let a thread waiting for a descriptor go on: look at the next
// choice.
bool outside_may_have_changed();
// Nobody can run: waits in the kernel, at most `timeout_ns`. Returns true when a thread became runnable; false at once
// when everything awaited can only come from threads of the program itself.
bool wait_for_outside(std::uint64_t timeout_ns);
// Waiting in the kernel right now: a program that makes no step meanwhile is not stuck. Safe in a signal handler.
bool waiting_in_kernel();

}  // namespace heddle::runtime
