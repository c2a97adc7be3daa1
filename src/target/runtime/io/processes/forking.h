#pragma once
// Processes that the program starts. They run natively.
#include <sys/types.h>

namespace heddle::runtime {

// Before the program can register handlers of its own: ours must be the first to run in a child.
void initialise_forking();
// Before the program can register functions for quick_exit: ours must be the last to run.
void initialise_quick_exit();

// In the parent, with the kernel's number. `executes`: it does not keep descriptors marked close-on-exec. Returns the
// number that the program sees.
pid_t note_child(pid_t real_pid, bool executes);
// One that libc has started and keeps to itself.
void note_unnamed_child();

}  // namespace heddle::runtime
