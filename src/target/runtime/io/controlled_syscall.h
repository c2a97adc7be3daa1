#pragma once
// All system calls of the program pass through here: libc's interposed wrappers, syscall(), and the calls that Syscall
// User Dispatch catches.
namespace heddle::runtime {

// REQUIRES: no program code has run under control.
void initialise_io();

// Performs a system call. A call that would block in the kernel parks the thread instead. Process numbers are the
// kernel's. Returns the kernel's result: -errno for an error. Unwinds if the thread is cancelled while it waits.
long controlled_syscall(long number, long a, long b, long c, long d, long e, long f);

// The same for syscall(): process and thread numbers are virtual, and calls whose result must be the same in every run
// (time, random numbers, signals) return the result of their interposed wrapper.
long program_syscall(long number, long a, long b, long c, long d, long e, long f);

}  // namespace heddle::runtime
