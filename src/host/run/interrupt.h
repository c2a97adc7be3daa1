#pragma once
#include "support/stop_token.h"

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

// Requests a stop once such a signal has arrived while an InterruptGuard lived; from then on forever.
StopToken interrupt_token();

// True once for each SIGUSR1: a debugger wants its program's schedule from the beginning.
bool take_renewal_request();

// Ends this process by that signal, as if it had never been caught.
[[noreturn]] void obey_interrupt();

}  // namespace heddle::run
