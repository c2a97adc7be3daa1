#pragma once
#include "support/stop_token.h"

namespace heddle::run {

// During its lifetime, Ctrl-C and termination requests are recorded instead of ending this process, so that results can
// still be written. The end of a child interrupts the system call in which the host waits.
class InterruptGuard {
 public:
  InterruptGuard();
  ~InterruptGuard();
  InterruptGuard(const InterruptGuard&) = delete;
  InterruptGuard& operator=(const InterruptGuard&) = delete;
};

// Requests a stop permanently after the first such signal during the lifetime of an InterruptGuard.
StopToken interrupt_token();

// True once for each SIGUSR1, with which gdb asks for the schedule from the beginning (replay/heddle_gdb.py).
bool take_renewal_request();

// Ends this process by the recorded signal.
[[noreturn]] void obey_interrupt();

}  // namespace heddle::run
