#include "runtime/runtime.h"

#include "runtime/control/modules.h"
#include "runtime/io/processes/processes.h"
#include "runtime/os/dispatch.h"
#include "runtime/record/session.h"
#include "runtime/schedule/scheduler.h"
#include "runtime/signals/signals.h"

namespace heddle::runtime {

constinit Runtime rt{};

void Runtime::begin_run() {
  observation.reset();
  io.reset();
  continue_run();
}

void Runtime::continue_run() {
  iterations.reset();
  copies.reset();
  choice.reset();
}

void Runtime::become_copy() {
  processes.kernel_number = 0;
  rearm_syscall_dispatch();
}

void Runtime::end_control(pid_t own_number) {
  return_signals_to_kernel();
  forget_syscall_dispatch();
  become_child(own_number);
  hot.thread_pointer = 0;
  disarm_all_modules();
  detach_session();
}

}  // namespace heddle::runtime
