#pragma once
// The futex system call, implemented in the scheduler. No thread sleeps in the kernel on a futex, so every lock that
// uses one (in libstdc++, libgomp, libc) is under control.
namespace heddle::runtime {

// Takes the arguments of the system call; returns its result or -errno.
long controlled_futex(long address, long operation, long value, long timeout, long address2, long value3);

}  // namespace heddle::runtime
