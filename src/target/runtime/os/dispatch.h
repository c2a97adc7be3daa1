#pragma once
// Syscall User Dispatch: the kernel passes every system call from outside the runtime's own section of text to a signal
// handler of the runtime. System calls that libc and other libraries make internally are therefore under control too.
// Needs Linux 5.11 on x86-64 and no privileges. It is off in a process made by fork or clone.
#include <cstdint>

namespace heddle::runtime {

struct Thread;

// For the calling kernel thread, which runs `thread`.
void arm_syscall_dispatch(Thread* thread);
// For the calling kernel thread, in a copy of the process.
void rearm_syscall_dispatch();
// Clears the record that it is armed, in a child that the program forked.
void forget_syscall_dispatch();

// Between these two calls the runtime can call libc natively: interposed functions call the real ones, and system calls
// are not caught. REQUIRES: no scheduling in between.
struct SavedControl {
  std::uint64_t thread_pointer;
  std::uint64_t compact;
  std::uint8_t selector;
};
SavedControl leave_control();
void return_to_control(const SavedControl& saved);

class Uncontrolled {
 public:
  Uncontrolled() : saved_(leave_control()) {}
  ~Uncontrolled() { return_to_control(saved_); }
  Uncontrolled(const Uncontrolled&) = delete;
  Uncontrolled& operator=(const Uncontrolled&) = delete;

 private:
  const SavedControl saved_;
};

}  // namespace heddle::runtime
