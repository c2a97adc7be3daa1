#pragma once
// Parking the current thread until something outside of the scheduler has happened. What comes from outside of the
// process is given a moment of real time first, so that the speed of a pipeline or of a child does not show in the
// schedule; and a parked thread that waits for it is looked at only when nobody else can run, or rarely.
#include <poll.h>

#include <cstdint>

#include "runtime/io/system_call.h"
#include "runtime/schedule/thread.h"

namespace heddle::runtime {

// A condition that can only be found by trying. Called by whoever has the turn.
struct RetryWait {
  bool (*holds)(RetryWait* self);
};

// What a child must do: arguments of waitid.
struct ChildWait {
  int id_type;
  pid_t id;
  int options;
};

WakeReason wait_for_descriptors(pollfd* descriptors, nfds_t count, std::uint64_t deadline_ns);
WakeReason wait_for_retry(RetryWait* wait, std::uint64_t deadline_ns);
WakeReason wait_for_child(ChildWait* wait);

// What remains to be done when a wait has ended: 0 when the system call is to be tried (again), else its result.
// Unwinds when the thread is cancelled. `restartable`: as the kernel restarts this call after a handler with
// SA_RESTART.
long after_wait(WakeReason reason, long result_when_timed_out, bool restartable);

// The current thread has done something that may let another, which waits for a descriptor or a lock, go on.
void outside_changed();
// A system call that is such a thing.
inline long perform_changing(const SystemCall& call) {
  outside_changed();
  return perform(call);
}

}  // namespace heddle::runtime
