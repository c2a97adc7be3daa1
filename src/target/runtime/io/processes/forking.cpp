#include "runtime/io/processes/forking.h"

#include <pthread.h>

#include "runtime/io/descriptors/descriptors.h"
#include "runtime/io/processes/processes.h"
#include "runtime/runtime.h"
#include "runtime/schedule/scheduler.h"

namespace heddle::runtime {
namespace {

// For a kernel without Syscall User Dispatch: libc's fork was not seen.
void after_fork_in_child() {
  if (controlled()) rt.end_control(next_child());
}

}  // namespace

void initialise_forking() { pthread_atfork(nullptr, nullptr, after_fork_in_child); }

pid_t note_child(pid_t real_pid, bool executes) {
  descriptors_were_inherited(executes);
  return add_child(real_pid);
}

void note_unnamed_child() { descriptors_were_inherited(true); }

}  // namespace heddle::runtime
