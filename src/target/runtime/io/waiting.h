#pragma once
// Parks the current thread until an event outside the scheduler. A wait for another process first keeps the turn for a
// moment of real time, so that the speed of a pipeline or of a child does not influence the schedule. The condition of
// a parked thread that waits for another process is polled only when no thread can run, or rarely (limits.h).
#include <poll.h>

#include <cstdint>

#include "runtime/io/system_call.h"
#include "runtime/schedule/thread.h"

namespace heddle::runtime {

// A condition that only a retry can check. The thread that has the turn calls `holds`.
struct RetryWait {
  bool (*holds)(RetryWait* self);
};

// The awaited event of a child: arguments of waitid.
struct ChildWait {
  int id_type;
  pid_t id;
  int options;
};

WakeReason wait_for_descriptors(pollfd* descriptors, nfds_t count, std::uint64_t deadline_ns);
WakeReason wait_for_retry(RetryWait* wait, std::uint64_t deadline_ns);
WakeReason wait_for_child(ChildWait* wait);

// Completes a wait. Returns 0 if the caller must (re)try the system call, otherwise the result of the system call.
// Unwinds if the thread was cancelled. `restartable`: the kernel restarts this call after handlers with SA_RESTART.
long after_wait(WakeReason reason, long result_when_timed_out, bool restartable);

// Must be called after an operation that may end another thread's wait for a descriptor or a file lock.
void outside_changed();
// Performs a system call that is such an operation.
inline long perform_changing(const SystemCall& call) {
  outside_changed();
  return perform(call);
}

}  // namespace heddle::runtime
