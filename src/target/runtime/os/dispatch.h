#pragma once
// Syscall User Dispatch: the kernel hands every system call that was not made from the runtime's own stretch of text to
// a signal handler of ours, so that what libc and other libraries do behind the interposed functions is under control
// too. Needs Linux 5.11 on x86-64 and no privilege. A process made by fork or clone has it off.
#include <cstdint>

namespace heddle::runtime {

struct Thread;

// For the kernel thread that runs `thread`, and calls.
void arm_syscall_dispatch(Thread* thread);
// In a copy of the process: on again, for the kernel thread that calls.
void rearm_syscall_dispatch();
// In the child of the program's own fork: forgets that it was armed.
void forget_syscall_dispatch();

// Between these two libc may be called as if Heddle were not there: interposed functions go straight through and system
// calls are not caught. REQUIRES: no scheduling in between. For the runtime's own needs only.
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
