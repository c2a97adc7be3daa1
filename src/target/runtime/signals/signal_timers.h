#pragma once
// Timers that send signals, on virtual time: alarm, setitimer, timer_create. One is due at a step, which the scheduler
// makes a choice; so it fires at the same step in every run of the same schedule.
#include <signal.h>

#include <cstdint>

#include "runtime/signals/signals.h"

namespace heddle::runtime {

struct SignalTimer {
  std::uint64_t deadline_ns;  // kNoDeadline: not armed
  std::uint64_t interval_ns;  // 0: fires once
  siginfo_t info;             // what it sends; si_signo 0: nothing
  ThreadId target;            // kNoThread: the process
  clockid_t clock;
  std::uint32_t ordinal;  // its number, in order of creation
  int overrun;            // of the last firing
  bool in_use;
};

// Not armed.
SignalTimer* make_signal_timer();
void release_signal_timer(SignalTimer* timer);

void arm_signal_timer(SignalTimer* timer, std::uint64_t deadline_ns, std::uint64_t interval_ns);
// Until it fires; 0 when it is not armed.
std::uint64_t remaining_ns(const SignalTimer* timer);

// The step at which the next timer is due, as virtual time stands now; ~0: none. To be asked again whenever time jumps.
std::uint64_t next_signal_timer_step();
// Time has jumped by being looked at.
inline void signal_timers_after_reading() {
  if (rt.signals.timer_step != ~std::uint64_t{0}) next_signal_timer_step();
}

// Of a signal of that timer that is still pending: nobody looks at a second one. False: none is.
bool add_to_pending_overrun(const siginfo_t& info, int count);

}  // namespace heddle::runtime
