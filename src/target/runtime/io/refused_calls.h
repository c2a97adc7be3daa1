#pragma once
// Calls that the kernel either grants at once or refuses, with no way to be told when they would be granted: file
// locks, System V queues and semaphores. All return -errno, or what the system call returns.
#include "runtime/io/system_call.h"

namespace heddle::runtime {

long controlled_flock(const SystemCall& call);
// fcntl with F_SETLKW or F_OFD_SETLKW.
long controlled_file_lock(const SystemCall& call);
// msgsnd, msgrcv.
long controlled_message(const SystemCall& call);
// semop, semtimedop.
long controlled_semaphores(const SystemCall& call);

}  // namespace heddle::runtime
