#pragma once
// The futex system call inside the scheduler: no thread ever sleeps in the kernel on one, so every lock that is built
// on it (libstdc++'s, libgomp's, libc's own) is under control.
namespace heddle::runtime {

// Arguments as the system call has them. -errno, or as it returns.
long controlled_futex(long address, long operation, long value, long timeout, long address2, long value3);

}  // namespace heddle::runtime
