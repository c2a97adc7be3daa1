#pragma once
// Child processes. They run natively.
#include <signal.h>
#include <sys/resource.h>
#include <sys/types.h>

namespace heddle::runtime {

// REQUIRES: the program has registered no handler with pthread_atfork, because the runtime's must run first in a child.
void initialise_forking();
// REQUIRES: the program has registered no function with at_quick_exit, because the runtime's must run last.
void initialise_quick_exit();

// Registers a child of the calling process, by the kernel's number. `executes`: the child does not inherit descriptors
// marked close-on-exec. Returns the virtual number.
pid_t note_child(pid_t real_pid, bool executes);

// The child has exited, and the program has waited for it. A child that was killed takes no time, because how long it
// has lived depends on real time.
void pass_time_of_child(pid_t real_pid);

// wait4 and waitid with the kernel's process numbers. Return -errno or the result of the system call.
long controlled_wait4(pid_t pid, int* status, int options, rusage* usage);
long controlled_waitid(int id_type, pid_t id, siginfo_t* info, int options, rusage* usage);

}  // namespace heddle::runtime
