// sigwait and its family, sigsuspend and pause.
#include <errno.h>
#include <signal.h>
#include <unistd.h>

#include "runtime/os/libc_result.h"
#include "runtime/os/real.h"
#include "runtime/schedule/clock.h"
#include "runtime/schedule/scheduler.h"
#include "runtime/signals/signals.h"

using namespace heddle::runtime;

HEDDLE_INTERPOSE int sigwait(const sigset_t* set, int* signal) {
  if (!controlled()) return HEDDLE_REAL(sigwait)(set, signal);
  int received;
  do {
    received = wait_for_signal(to_word(*set), nullptr, kNoDeadline);
  } while (received == -EINTR);
  *signal = received;
  return 0;
}

HEDDLE_INTERPOSED(int, sigwaitinfo, (const sigset_t* set, siginfo_t* info), (set, info),
                  libc_result(wait_for_signal(to_word(*set), info, kNoDeadline)))

HEDDLE_INTERPOSE int sigtimedwait(const sigset_t* set, siginfo_t* info, const timespec* timeout) {
  if (!controlled()) return HEDDLE_REAL(sigtimedwait)(set, info, timeout);
  const std::uint64_t deadline = relative_deadline(timeout);
  if (deadline == kInvalidDeadline) return libc_result(-EINVAL);
  return libc_result(wait_for_signal(to_word(*set), info, deadline));
}

HEDDLE_INTERPOSED(int, sigsuspend, (const sigset_t* mask), (mask), libc_result(suspend_until_signal(to_word(*mask))))
HEDDLE_INTERPOSED(int, pause, (), (), libc_result(suspend_until_signal(current()->signal_mask)))
