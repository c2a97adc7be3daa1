// setuid and its family. The kernel keeps credentials per kernel thread; libc makes them the process's by sending a
// signal to all threads and waiting for each, which the parked hosts would never answer. On the fiber engine the one
// kernel thread that runs program code is all that matters. On the thread engine only the calling thread changes; a
// program that relies on the others following belongs on the fiber engine.
#include <errno.h>
#include <grp.h>
#include <sys/fsuid.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "runtime/os/raw_syscall.h"
#include "runtime/os/real.h"
#include "runtime/schedule/scheduler.h"
#include "runtime/signals/signal_sets.h"

HEDDLE_REAL(setuid)
HEDDLE_REAL(setgid)
HEDDLE_REAL(seteuid)
HEDDLE_REAL(setegid)
HEDDLE_REAL(setreuid)
HEDDLE_REAL(setregid)
HEDDLE_REAL(setresuid)
HEDDLE_REAL(setresgid)
HEDDLE_REAL(setgroups)

using namespace heddle::runtime;

HEDDLE_INTERPOSE int setuid(uid_t user) noexcept {
  if (!controlled()) return real_setuid()(user);
  return fail_with(raw_syscall(SYS_setuid, user));
}

HEDDLE_INTERPOSE int setgid(gid_t group) noexcept {
  if (!controlled()) return real_setgid()(group);
  return fail_with(raw_syscall(SYS_setgid, group));
}

HEDDLE_INTERPOSE int seteuid(uid_t user) noexcept {
  if (!controlled()) return real_seteuid()(user);
  if (user == static_cast<uid_t>(-1)) return fail_with(-EINVAL);
  return fail_with(raw_syscall(SYS_setresuid, -1, user, -1));
}

HEDDLE_INTERPOSE int setegid(gid_t group) noexcept {
  if (!controlled()) return real_setegid()(group);
  if (group == static_cast<gid_t>(-1)) return fail_with(-EINVAL);
  return fail_with(raw_syscall(SYS_setresgid, -1, group, -1));
}

HEDDLE_INTERPOSE int setreuid(uid_t real, uid_t effective) noexcept {
  if (!controlled()) return real_setreuid()(real, effective);
  return fail_with(raw_syscall(SYS_setreuid, real, effective));
}

HEDDLE_INTERPOSE int setregid(gid_t real, gid_t effective) noexcept {
  if (!controlled()) return real_setregid()(real, effective);
  return fail_with(raw_syscall(SYS_setregid, real, effective));
}

HEDDLE_INTERPOSE int setresuid(uid_t real, uid_t effective, uid_t saved) noexcept {
  if (!controlled()) return real_setresuid()(real, effective, saved);
  return fail_with(raw_syscall(SYS_setresuid, real, effective, saved));
}

HEDDLE_INTERPOSE int setresgid(gid_t real, gid_t effective, gid_t saved) noexcept {
  if (!controlled()) return real_setresgid()(real, effective, saved);
  return fail_with(raw_syscall(SYS_setresgid, real, effective, saved));
}

HEDDLE_INTERPOSE int setgroups(size_t count, const gid_t* groups) noexcept {
  if (!controlled()) return real_setgroups()(count, groups);
  return fail_with(raw_syscall(SYS_setgroups, count, groups));
}
