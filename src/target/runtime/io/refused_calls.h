#pragma once
// Calls that the kernel grants or refuses immediately, without a notification when it would grant them: file locks,
// System V queues and semaphores. The runtime retries them. All return -errno or the result of the system call.
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
