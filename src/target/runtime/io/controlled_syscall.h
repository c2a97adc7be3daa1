#pragma once
// The one door to the kernel for system calls of the program: libc's interposed wrappers, syscall(), and whatever
// Syscall User Dispatch has caught come through here.
namespace heddle::runtime {

// Before the program's first instruction under control.
void initialise_io();

// Performs it. A call that would wait in the kernel parks the thread instead. Process numbers are the kernel's. Returns
// as the kernel does: -errno for an error. Unwinds when the thread is cancelled while it waits.
long controlled_syscall(long number, long a, long b, long c, long d, long e, long f);

// The same for what the program itself asks for by number: process and thread numbers are virtual, and calls that have
// a wrapper whose answer must be the same in every run (time, random, signals) give the wrapper's answer.
long program_syscall(long number, long a, long b, long c, long d, long e, long f);

}  // namespace heddle::runtime
