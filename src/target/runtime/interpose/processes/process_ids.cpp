// Process and thread numbers, which are the same in every run.
#include <sched.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <termios.h>
#include <unistd.h>

#include "runtime/io/processes/processes.h"
#include "runtime/os/libc_result.h"
#include "runtime/os/raw_syscall.h"
#include "runtime/os/real.h"
#include "runtime/record/session.h"
#include "runtime/schedule/scheduler.h"

using namespace heddle::runtime;

HEDDLE_INTERPOSE pid_t getpid() noexcept { return pids_are_virtual() ? virtual_process() : HEDDLE_REAL(getpid)(); }
HEDDLE_INTERPOSE pid_t getppid() noexcept { return pids_are_virtual() ? virtual_parent() : HEDDLE_REAL(getppid)(); }

HEDDLE_INTERPOSE pid_t gettid() noexcept {
  if (controlled()) return virtual_thread(current());
  const pid_t tid = HEDDLE_REAL(gettid)();
  return pids_are_virtual() && tid == process_id() ? virtual_process() : tid;
}

HEDDLE_INTERPOSE pid_t getpgid(pid_t pid) noexcept { return virtual_pid(HEDDLE_REAL(getpgid)(real_pid(pid))); }
HEDDLE_INTERPOSE pid_t getpgrp() noexcept { return virtual_pid(HEDDLE_REAL(getpgrp)()); }
HEDDLE_INTERPOSE pid_t getsid(pid_t pid) noexcept { return virtual_pid(HEDDLE_REAL(getsid)(real_pid(pid))); }
HEDDLE_INTERPOSE int setpgid(pid_t pid, pid_t group) noexcept {
  return HEDDLE_REAL(setpgid)(real_pid(pid), real_pid(group));
}
HEDDLE_INTERPOSE pid_t setsid() noexcept { return virtual_pid(HEDDLE_REAL(setsid)()); }
HEDDLE_INTERPOSE int killpg(pid_t group, int signal) noexcept { return HEDDLE_REAL(killpg)(real_pid(group), signal); }
HEDDLE_INTERPOSE pid_t tcgetpgrp(int terminal) noexcept { return virtual_pid(HEDDLE_REAL(tcgetpgrp)(terminal)); }
HEDDLE_INTERPOSE int tcsetpgrp(int terminal, pid_t group) noexcept {
  return HEDDLE_REAL(tcsetpgrp)(terminal, real_pid(group));
}

namespace {

id_t real_target(__priority_which_t which, id_t id) {
  return which == PRIO_USER ? id : static_cast<id_t>(real_pid(static_cast<pid_t>(id)));
}

}  // namespace

HEDDLE_INTERPOSE int getpriority(__priority_which_t which, id_t id) noexcept {
  return HEDDLE_REAL(getpriority)(which, real_target(which, id));
}
HEDDLE_INTERPOSE int setpriority(__priority_which_t which, id_t id, int value) noexcept {
  return HEDDLE_REAL(setpriority)(which, real_target(which, id), value);
}

HEDDLE_INTERPOSE int prlimit(pid_t pid, __rlimit_resource resource, const rlimit* limit, rlimit* old) noexcept {
  return HEDDLE_REAL(prlimit)(real_pid(pid), resource, limit, old);
}

HEDDLE_INTERPOSE int pidfd_open(pid_t pid, unsigned flags) noexcept {
  return static_cast<int>(libc_result(raw_syscall(SYS_pidfd_open, real_pid(pid), flags)));
}
