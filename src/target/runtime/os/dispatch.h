#pragma once
// Syscall User Dispatch: the kernel hands every system call that was not made from the runtime's own stretch of text to
// a signal handler of ours, so that what libc and other libraries do behind the interposed functions is under control
// too. Needs Linux 5.11 on x86-64 and no privilege. A process made by fork or clone has it off.
namespace heddle::runtime {

// False where the kernel lacks it, or before it was armed: then only interposed functions are under control.
bool syscall_dispatch_available();

// In a checkpoint's copy: on again, for the kernel thread that calls.
void rearm_syscall_dispatch();
// In the child of the program's own fork: forgets that it was armed.
void forget_syscall_dispatch();

}  // namespace heddle::runtime
