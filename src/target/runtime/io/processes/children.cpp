#include "runtime/io/processes/children.h"

#include <pthread.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include "runtime/io/descriptors/arrivals.h"
#include "runtime/io/descriptors/descriptors.h"
#include "runtime/io/processes/processes.h"
#include "runtime/io/waiting.h"
#include "runtime/os/raw_syscall.h"
#include "runtime/record/session.h"
#include "runtime/runtime.h"
#include "runtime/schedule/clock.h"
#include "runtime/schedule/scheduler.h"
#include "runtime/schedule/strategy_setup.h"

namespace heddle::runtime {
namespace {

ChildWait as_waitid(pid_t pid, int options) {
  const int events = WEXITED | (options & (WUNTRACED | WCONTINUED | __WALL | __WCLONE | __WNOTHREAD));
  if (pid == -1) return {P_ALL, 0, events};
  if (pid > 0) return {P_PID, pid, events};
  return {P_PGID, -pid, events};
}

// On a kernel without Syscall User Dispatch the runtime does not observe a fork inside libc.
void after_fork_in_child() {
  if (controlled()) rt.end_control(next_child());
}

}  // namespace

void initialise_forking() { pthread_atfork(nullptr, nullptr, after_fork_in_child); }

pid_t note_child(pid_t real_pid, bool executes) {
  descriptors_were_inherited(executes);
  return add_child(real_pid);
}

void pass_time_of_child(pid_t real_pid) {
  if (session()->config.time_model == format::TimeModel::Steps) return;
  const ChildTime time = take_time_of_child(real_pid);
  const std::int64_t slept = recorded_arrival().value_or(static_cast<std::int64_t>(time.slept_ns));
  note_arrival(slept);
  pass_child_time(time.begin_ns, static_cast<std::uint64_t>(slept));
}

long controlled_wait4(pid_t pid, int* status, int options, rusage* usage) {
  announce(EventKind::ExternalWait, nullptr);
  ChildWait wait = as_waitid(pid, options);
  for (;;) {
    const long result = raw_syscall(SYS_wait4, pid, status, options | WNOHANG, usage);
    if (result != 0 || (options & WNOHANG) != 0) return result;
    if (const long ended = after_wait(wait_for_child(&wait), 0, true); ended != 0) return ended;
  }
}

long controlled_waitid(int id_type, pid_t id, siginfo_t* info, int options, rusage* usage) {
  announce(EventKind::ExternalWait, nullptr);
  ChildWait wait{id_type, id, options & ~(WNOHANG | WNOWAIT)};
  for (;;) {
    siginfo_t found{};
    const long result = raw_syscall(SYS_waitid, id_type, id, &found, options | WNOHANG, usage);
    if (result != 0 || found.si_pid != 0 || (options & WNOHANG) != 0) {
      if (result == 0 && info != nullptr) *info = found;
      return result;
    }
    if (const long ended = after_wait(wait_for_child(&wait), 0, true); ended != 0) return ended;
  }
}

}  // namespace heddle::runtime
