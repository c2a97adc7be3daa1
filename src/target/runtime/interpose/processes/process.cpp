// Child processes of the program (fork, spawn, wait), and the end of the program's own process.
#include <errno.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "runtime/control/failure.h"
#include "runtime/interpose/threads/cancellation.h"
#include "runtime/io/processes/children.h"
#include "runtime/io/processes/processes.h"
#include "runtime/os/libc_result.h"
#include "runtime/os/raw_syscall.h"
#include "runtime/os/real.h"
#include "runtime/runtime.h"
#include "runtime/schedule/scheduler.h"
#include "runtime/schedule/work.h"
#include "runtime/signals/signals.h"

extern "C" pid_t _Fork() noexcept;

namespace heddle::runtime {
namespace {

// Runs in parent and child. Returns the caller's result of fork.
pid_t after_fork(pid_t result, pid_t own_number) {
  if (result > 0) {
    const pid_t child = note_child(result, false);
    if (controlled()) spend(work::kForkNs);
    return child;
  }
  if (result == 0 && controlled()) rt.end_control(own_number);
  return result;
}

// `call` starts a process inside libc. The child inherits the signal mask of the calling thread.
template <typename Spawn>
int spawn(Spawn call) {
  announce(EventKind::ExternalWait, nullptr);
  spend(work::kSpawnNs);
  KernelMaskOfProgram inherited;
  Uncontrolled libc;
  return call();
}

template <typename Spawn>
int spawn_child(pid_t* child, Spawn call) {
  pid_t real_child = 0;
  const int error = spawn([&] { return call(&real_child); });
  if (error != 0) return error;
  const pid_t number = note_child(real_child, true);
  if (child != nullptr) *child = number;
  return 0;
}

// Translates the result of wait4 and forgets the child if it was reaped.
pid_t after_wait4(long result, bool reaped) {
  if (result <= 0) return static_cast<pid_t>(libc_result(result));
  const pid_t child = add_child(static_cast<pid_t>(result));
  if (reaped) remove_child(static_cast<pid_t>(result));
  return child;
}

bool has_ended(int status) { return WIFEXITED(status) || WIFSIGNALED(status); }

void report_quick_exit() { report_exit(rt.interpose.quick_exit_code); }

}  // namespace

void initialise_quick_exit() { at_quick_exit(report_quick_exit); }

}  // namespace heddle::runtime

using namespace heddle::runtime;

// Not an Uncontrolled region, because pthread_atfork handlers lock mutexes of the program.
HEDDLE_INTERPOSE pid_t fork() noexcept {
  if (!pids_are_virtual()) return HEDDLE_REAL(fork)();
  if (controlled()) announce(EventKind::ExternalWait, nullptr);
  const pid_t own_number = next_child();
  const pid_t result = HEDDLE_REAL(fork)();
  if (result != 0) return after_fork(result, own_number);
  if (virtual_process() != own_number) become_child(own_number);
  return 0;
}

HEDDLE_INTERPOSE pid_t vfork() noexcept { return fork(); }

HEDDLE_INTERPOSE pid_t _Fork() noexcept {
  if (!pids_are_virtual()) return HEDDLE_REAL(_Fork)();
  const pid_t own_number = next_child();
  return after_fork(HEDDLE_REAL(_Fork)(), own_number);
}

#define HEDDLE_SPAWN(name)                                                                                         \
  HEDDLE_INTERPOSE int name(pid_t* child, const char* file, const posix_spawn_file_actions_t* actions,             \
                            const posix_spawnattr_t* attributes, char* const* arguments, char* const* variables) { \
    const auto call = [&](pid_t* spawned) {                                                                        \
      return HEDDLE_REAL(name)(spawned, file, actions, attributes, arguments, variables);                          \
    };                                                                                                             \
    return controlled() ? spawn_child(child, call) : call(child);                                                  \
  }
HEDDLE_SPAWN(posix_spawn)
HEDDLE_SPAWN(posix_spawnp)

HEDDLE_INTERPOSE FILE* popen(const char* command, const char* mode) {
  if (!controlled()) return HEDDLE_REAL(popen)(command, mode);
  FILE* stream = nullptr;
  // The number of the child is private to libc; pclose waits for the kernel's number.
  spawn([&] { return (stream = HEDDLE_REAL(popen)(command, mode)) == nullptr; });
  descriptors_were_inherited(true);
  return stream;
}

HEDDLE_INTERPOSE pid_t wait4(pid_t pid, int* status, int options, rusage* usage) {
  if (!pids_are_virtual()) return HEDDLE_REAL(wait4)(pid, status, options, usage);
  int seen = 0;
  long result;
  if (controlled()) {
    test_cancellation();
    result = controlled_wait4(real_pid(pid), &seen, options, usage);
  } else {
    result = HEDDLE_REAL(wait4)(real_pid(pid), &seen, options, usage);
    if (result < 0) result = -errno;
  }
  if (result > 0 && status != nullptr) *status = seen;
  if (result > 0 && controlled() && WIFEXITED(seen)) pass_time_of_child(static_cast<pid_t>(result));
  return after_wait4(result, has_ended(seen));
}

HEDDLE_INTERPOSE pid_t waitpid(pid_t pid, int* status, int options) { return wait4(pid, status, options, nullptr); }
HEDDLE_INTERPOSE pid_t wait(int* status) { return wait4(-1, status, 0, nullptr); }
HEDDLE_INTERPOSE pid_t wait3(int* status, int options, rusage* usage) noexcept {
  return wait4(-1, status, options, usage);
}

HEDDLE_INTERPOSE int waitid(idtype_t type, id_t id, siginfo_t* info, int options) {
  if (!pids_are_virtual()) return HEDDLE_REAL(waitid)(type, id, info, options);
  const auto real_id = type == P_PID || type == P_PGID ? static_cast<id_t>(real_pid(static_cast<pid_t>(id))) : id;
  siginfo_t found{};
  int result;
  if (controlled()) {
    test_cancellation();
    result = static_cast<int>(
        libc_result(controlled_waitid(static_cast<int>(type), static_cast<pid_t>(real_id), &found, options, nullptr)));
  } else {
    result = HEDDLE_REAL(waitid)(type, real_id, &found, options);
  }
  if (result != 0) return result;
  if (found.si_pid != 0) {
    const pid_t child = found.si_pid;
    found.si_pid = add_child(child);
    if (controlled() && found.si_code == CLD_EXITED && (options & WNOWAIT) == 0) pass_time_of_child(child);
    const bool ended = found.si_code != CLD_STOPPED && found.si_code != CLD_CONTINUED && found.si_code != CLD_TRAPPED;
    if (ended && (options & WNOWAIT) == 0) remove_child(child);
  }
  if (info != nullptr) *info = found;
  return 0;
}

HEDDLE_INTERPOSE void _exit(int code) {
  if (!controlled()) HEDDLE_REAL(_exit)(code);
  report_exit(code & 0xff);
  for (;;) raw_syscall(SYS_exit_group, code);
}

HEDDLE_INTERPOSE void _Exit(int code) noexcept { _exit(code); }

HEDDLE_INTERPOSE void quick_exit(int code) noexcept {
  rt.interpose.quick_exit_code = code & 0xff;
  HEDDLE_REAL(quick_exit)(code);
  __builtin_unreachable();
}
