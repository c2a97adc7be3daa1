// heddle_checkpoint(): a copy of the whole multithreaded execution in the middle of a run. All program threads share
// one kernel thread, so one raw clone copies all of them. fork() would not do: in the child glibc frees the stacks of
// the other threads and renumbers the current one.
#include <signal.h>
#include <sys/syscall.h>

#include "runtime/engine/engine.h"
#include "runtime/io/processes/children.h"
#include "runtime/os/raw_syscall.h"
#include "runtime/os/real.h"
#include "runtime/record/session.h"
#include "runtime/runtime.h"
#include "runtime/schedule/scheduler.h"

using namespace heddle::runtime;

// Returns 0 in the copy, which continues under control with the same strategy and without a host; the copy's process
// number in the original, which can wait for it as for any child; -1 without control or on the thread engine.
HEDDLE_INTERPOSE int heddle_checkpoint() {
  if (!controlled() || !engine_is_fiber()) return -1;
  const long copy = raw_syscall(SYS_clone, SIGCHLD, 0, 0, 0, 0);
  if (copy < 0) return -1;
  if (copy > 0) return note_child(static_cast<pid_t>(copy), false);
  rt.become_copy();
  detach_session();
  return 0;
}
