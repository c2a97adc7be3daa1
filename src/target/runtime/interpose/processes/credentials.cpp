// setuid and its family. The kernel stores credentials per kernel thread. libc changes those of all threads by a signal
// to each of them and waits for the answers, which parked hosts never give. Here only the calling kernel thread
// changes: on the fiber engine it runs all program code; on the thread engine the other threads keep their
// credentials, so programs that change credentials of the whole process need the fiber engine.
#include <errno.h>
#include <grp.h>
#include <sys/fsuid.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "runtime/os/libc_result.h"
#include "runtime/os/raw_syscall.h"
#include "runtime/os/real.h"
#include "runtime/schedule/scheduler.h"

using namespace heddle::runtime;

HEDDLE_INTERPOSED(int, setuid, (uid_t user) noexcept, (user), libc_result(raw_syscall(SYS_setuid, user)))
HEDDLE_INTERPOSED(int, setgid, (gid_t group) noexcept, (group), libc_result(raw_syscall(SYS_setgid, group)))

HEDDLE_INTERPOSE int seteuid(uid_t user) noexcept {
  if (!controlled()) return HEDDLE_REAL(seteuid)(user);
  if (user == static_cast<uid_t>(-1)) return libc_result(-EINVAL);
  return libc_result(raw_syscall(SYS_setresuid, -1, user, -1));
}

HEDDLE_INTERPOSE int setegid(gid_t group) noexcept {
  if (!controlled()) return HEDDLE_REAL(setegid)(group);
  if (group == static_cast<gid_t>(-1)) return libc_result(-EINVAL);
  return libc_result(raw_syscall(SYS_setresgid, -1, group, -1));
}

HEDDLE_INTERPOSED(int, setreuid, (uid_t real, uid_t effective) noexcept, (real, effective),
                  libc_result(raw_syscall(SYS_setreuid, real, effective)))
HEDDLE_INTERPOSED(int, setregid, (gid_t real, gid_t effective) noexcept, (real, effective),
                  libc_result(raw_syscall(SYS_setregid, real, effective)))
HEDDLE_INTERPOSED(int, setresuid, (uid_t real, uid_t effective, uid_t saved) noexcept, (real, effective, saved),
                  libc_result(raw_syscall(SYS_setresuid, real, effective, saved)))
HEDDLE_INTERPOSED(int, setresgid, (gid_t real, gid_t effective, gid_t saved) noexcept, (real, effective, saved),
                  libc_result(raw_syscall(SYS_setresgid, real, effective, saved)))
HEDDLE_INTERPOSED(int, setgroups, (size_t count, const gid_t* groups) noexcept, (count, groups),
                  libc_result(raw_syscall(SYS_setgroups, count, groups)))
