#pragma once
// Waits for events outside the scheduler: descriptors, children. Implemented by runtime/io.
#include <cstdint>

namespace heddle::runtime {

// True if a blocked thread waits for an event outside the scheduler.
bool outside_awaited();
// Makes threads runnable whose outside conditions hold. Waits at most a moment, and only after many choices without a
// wait (limits.h). Returns true if a thread became runnable.
bool look_outside();
// True if the next choice must call look_outside(): after a write, a close ... of the program, after many choices, and
// at every choice of a replay.
bool outside_may_have_changed();
// Waits in the kernel, at most `timeout_ns`. Returns true when a thread became runnable, and false immediately when
// only threads of the program itself can end the waits. REQUIRES: no thread is runnable.
bool wait_for_outside(std::uint64_t timeout_ns);
// True while the runtime waits in the kernel: a program without progress is then not stuck. Safe in a signal handler.
bool waiting_in_kernel();

}  // namespace heddle::runtime
