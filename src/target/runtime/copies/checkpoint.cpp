// A copy of the whole multithreaded execution in the middle of a run: all program threads live on one kernel thread, so
// one raw clone copies them all. Never fork: glibc would free the stacks of the other threads and renumber this one.
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

// 0 in the copy, which goes on under control with the same strategy and reports to nobody; its process number in the
// original, which waits for it as for any child; -1 where there is nothing to copy (not controlled, thread engine).
HEDDLE_INTERPOSE int heddle_checkpoint() {
  if (!controlled() || !engine_is_fiber()) return -1;
  const long copy = raw_syscall(SYS_clone, SIGCHLD, 0, 0, 0, 0);
  if (copy < 0) return -1;
  if (copy > 0) return note_child(static_cast<pid_t>(copy), false);
  rt.become_copy();
  detach_session();
  return 0;
}
