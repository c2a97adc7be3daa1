// System calls of the program through syscall().
#include <errno.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "runtime/control/failure.h"
#include "runtime/io/controlled_syscall.h"
#include "runtime/io/processes/children.h"
#include "runtime/io/processes/processes.h"
#include "runtime/runtime.h"
#include "runtime/schedule/scheduler.h"
#include "runtime/schedule/work.h"

namespace heddle::runtime {
namespace {

// Calls a libc function and returns its result in the form of the kernel; errno keeps its value.
template <typename Function>
long as_kernel(Function function) {
  const int saved = errno;
  const long result = (long)function();
  const int error = errno;
  errno = saved;
  return result == -1 ? -error : result;
}

}  // namespace

void initialise_io() {
  rt.io.reset();
  make_pids_virtual();
  initialise_forking();
  initialise_quick_exit();
}

long program_syscall(long number, long a, long b, long c, long d, long e, long f) {
  const auto pid = static_cast<pid_t>(a);
  switch (number) {
    case SYS_getpid:
      return virtual_process();
    case SYS_getppid:
      return virtual_parent();
    case SYS_gettid:
      return virtual_thread(current());
    case SYS_getpgid:
      return as_kernel([&] { return getpgid(pid); });
    case SYS_getpgrp:
      return as_kernel([] { return getpgrp(); });
    case SYS_getsid:
      return as_kernel([&] { return getsid(pid); });
    case SYS_setpgid:
      return as_kernel([&] { return setpgid(pid, static_cast<pid_t>(b)); });
    case SYS_setsid:
      return as_kernel([] { return setsid(); });
    case SYS_kill:
      return as_kernel([&] { return kill(pid, static_cast<int>(b)); });
    case SYS_tgkill:
      return as_kernel([&] { return tgkill(pid, static_cast<pid_t>(b), static_cast<int>(c)); });
    case SYS_tkill:
      return as_kernel([&] { return tgkill(getpid(), pid, static_cast<int>(b)); });
    case SYS_wait4:
      return as_kernel([&] { return wait4(pid, (int*)b, static_cast<int>(c), (rusage*)d); });
    case SYS_waitid:
      if (e != 0) break;
      return as_kernel([&] { return waitid((idtype_t)a, (id_t)b, (siginfo_t*)c, static_cast<int>(d)); });
    case SYS_pidfd_open:
    case SYS_process_vm_readv:
    case SYS_process_vm_writev:
    case SYS_prlimit64:
      return controlled_syscall(number, real_pid(pid), b, c, d, e, f);
    case SYS_fork:
    case SYS_vfork:
    case SYS_clone:
    case SYS_clone3: {
      const long result = controlled_syscall(number, a, b, c, d, e, f);
      if (result > 0) spend(work::kForkNs);
      return result > 0 ? virtual_pid(static_cast<pid_t>(result)) : result;
    }
    case SYS_exit:
      fail_uncontrolled("the exit of a thread by syscall(SYS_exit)");

    case SYS_clock_gettime:
      return as_kernel([&] { return clock_gettime((clockid_t)a, (timespec*)b); });
    case SYS_gettimeofday:
      return as_kernel([&] { return gettimeofday((timeval*)a, (void*)b); });
    case SYS_time:
      return as_kernel([&] { return time((time_t*)a); });
    case SYS_getrandom:
      return as_kernel([&] { return getrandom((void*)a, (size_t)b, (unsigned)c); });

    case SYS_mmap:
      return as_kernel([&] { return mmap((void*)a, (size_t)b, (int)c, (int)d, (int)e, f); });
    case SYS_munmap:
      return as_kernel([&] { return munmap((void*)a, (size_t)b); });
    case SYS_mremap:
      return as_kernel([&] { return mremap((void*)a, (size_t)b, (size_t)c, (int)d, (void*)e); });
    default:
      break;
  }
  spend(work::kSystemCallNs);
  return controlled_syscall(number, a, b, c, d, e, f);
}

}  // namespace heddle::runtime
