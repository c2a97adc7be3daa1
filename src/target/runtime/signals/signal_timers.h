#pragma once
// Timers that send signals, on virtual time: alarm, setitimer, timer_create. A timer is due at a step, which becomes a
// choice of the scheduler; so it fires at the same step in every run of one schedule.
#include <signal.h>

#include <cstdint>

#include "runtime/signals/signals.h"

namespace heddle::runtime {

struct SignalTimer {
  std::uint64_t deadline_ns;  // kNoDeadline: not armed
  std::uint64_t interval_ns;  // 0: fires once
  siginfo_t info;             // the signal that it sends; si_signo 0: none
  ThreadId target;            // kNoThread: the process
  clockid_t clock;
  std::uint32_t ordinal;  // in order of creation
  int overrun;            // expirations missed before the last signal
  bool in_use;
};

// Creates a timer that is not armed.
SignalTimer* make_signal_timer();
void release_signal_timer(SignalTimer* timer);

void arm_signal_timer(SignalTimer* timer, std::uint64_t deadline_ns, std::uint64_t interval_ns);
// The time until the timer fires; 0 if it is not armed.
std::uint64_t remaining_ns(const SignalTimer* timer);

// Recomputes and returns the step at which the next timer is due; ~0: none. Must be called whenever virtual time jumps.
std::uint64_t next_signal_timer_step();
// Reading the clock makes virtual time jump.
inline void signal_timers_after_reading() {
  if (rt.signals.timer_step != ~std::uint64_t{0}) next_signal_timer_step();
}

// Adds `count` to the overrun of a pending signal of the timer, instead of queueing a second one. Returns false if none
// is pending.
bool add_to_pending_overrun(const siginfo_t& info, int count);

}  // namespace heddle::runtime
