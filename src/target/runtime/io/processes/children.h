#pragma once
#include <signal.h>
#include <sys/resource.h>
#include <sys/types.h>

namespace heddle::runtime {

// wait4 and waitid with the kernel's process numbers: -errno, or as the system calls return.
long controlled_wait4(pid_t pid, int* status, int options, rusage* usage);
long controlled_waitid(int id_type, pid_t id, siginfo_t* info, int options, rusage* usage);

}  // namespace heddle::runtime
