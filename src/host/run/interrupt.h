#pragma once

namespace heddle::run {

// While it lives, Ctrl-C and termination requests are noted instead of obeyed, so that what was recorded can still be
// written; and the end of a child cuts short whatever wait the host is in.
class InterruptGuard {
 public:
  InterruptGuard();
  ~InterruptGuard();
  InterruptGuard(const InterruptGuard&) = delete;
  InterruptGuard& operator=(const InterruptGuard&) = delete;
};

// The signal that asked us to stop; 0: none, or a shield of this thread lives. Stays set.
int interrupt_signal();

// While it lives, what this thread does is not cut short: a clip that is being made is finished.
class InterruptShield {
 public:
  InterruptShield();
  ~InterruptShield();
  InterruptShield(const InterruptShield&) = delete;
  InterruptShield& operator=(const InterruptShield&) = delete;
};

// True once for each SIGUSR1: a debugger wants its program's schedule from the beginning.
bool take_renewal_request();

// Ends this process by that signal, as if it had never been caught.
[[noreturn]] void obey_interrupt();

}  // namespace heddle::run
