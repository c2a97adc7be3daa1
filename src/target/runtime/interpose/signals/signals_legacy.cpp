// The older signal interfaces, implemented with the newer ones: libc's versions call those by names that cannot be
// interposed.
#include <errno.h>
#include <signal.h>

#include "runtime/os/libc_result.h"
#include "runtime/os/real.h"
#include "runtime/runtime.h"
#include "runtime/schedule/scheduler.h"
#include "runtime/signals/signal_actions.h"
#include "runtime/signals/signals.h"

// This file defines the deprecated functions.
#pragma clang diagnostic ignored "-Wdeprecated-declarations"

extern "C" {
using Handler = void (*)(int);
Handler bsd_signal(int, Handler);
Handler ssignal(int, Handler) noexcept;
Handler __sysv_signal(int, Handler) noexcept;
Handler sysv_signal(int, Handler) noexcept;
int __xpg_sigpause(int);  // current headers declare sigpause under this name
}

namespace heddle::runtime {
namespace {

bool valid(int signal) { return signal >= 1 && signal <= kSignalMax; }

Handler replace_handler(int signal, Handler handler, int flags, std::uint64_t mask) {
  if (handler == SIG_ERR || !valid(signal)) {
    errno = EINVAL;
    return SIG_ERR;
  }
  struct sigaction action{};
  struct sigaction old{};
  action.sa_handler = handler;
  action.sa_flags = flags;
  action.sa_mask = to_set(mask);
  return sigaction(signal, &action, &old) == 0 ? old.sa_handler : SIG_ERR;
}

int change_one(int how, int signal) {
  if (!valid(signal)) return libc_result(-EINVAL);
  const std::uint64_t set = signal_bit(signal);
  return libc_result(change_signal_mask(how, &set, nullptr));
}

// sigblock and sigsetmask take the first 32 signals only, as an int.
int change_low_mask(int how, int low) {
  std::uint64_t set = static_cast<unsigned>(low);
  std::uint64_t old = 0;
  change_signal_mask(how, &set, &old);
  return static_cast<int>(old);
}

}  // namespace
}  // namespace heddle::runtime

using namespace heddle::runtime;

HEDDLE_INTERPOSE Handler signal(int signal, Handler handler) noexcept {
  if (!signals_kept()) return HEDDLE_REAL(signal)(signal, handler);
  const bool restarts = !valid(signal) || (rt.interpose.interrupts & signal_bit(signal)) == 0;
  return replace_handler(signal, handler, restarts ? SA_RESTART : 0, valid(signal) ? signal_bit(signal) : 0);
}
HEDDLE_INTERPOSE Handler bsd_signal(int number, Handler handler) { return signal(number, handler); }
HEDDLE_INTERPOSE Handler ssignal(int number, Handler handler) noexcept { return signal(number, handler); }

HEDDLE_INTERPOSE Handler __sysv_signal(int signal, Handler handler) noexcept {
  if (!signals_kept()) return HEDDLE_REAL(__sysv_signal)(signal, handler);
  return replace_handler(signal, handler, static_cast<int>(SA_RESETHAND | SA_NODEFER), 0);
}
HEDDLE_INTERPOSE Handler sysv_signal(int signal, Handler handler) noexcept { return __sysv_signal(signal, handler); }

HEDDLE_INTERPOSE int siginterrupt(int signal, int interrupt) noexcept {
  if (!signals_kept()) return HEDDLE_REAL(siginterrupt)(signal, interrupt);
  struct sigaction action{};
  if (sigaction(signal, nullptr, &action) != 0) return -1;
  if (interrupt != 0) {
    rt.interpose.interrupts |= signal_bit(signal);
    action.sa_flags &= ~SA_RESTART;
  } else {
    rt.interpose.interrupts &= ~signal_bit(signal);
    action.sa_flags |= SA_RESTART;
  }
  return sigaction(signal, &action, nullptr);
}

HEDDLE_INTERPOSED(int, sigblock, (int mask) noexcept, (mask), change_low_mask(SIG_BLOCK, mask))
HEDDLE_INTERPOSED(int, sigsetmask, (int mask) noexcept, (mask), change_low_mask(SIG_SETMASK, mask))

HEDDLE_INTERPOSE int __xpg_sigpause(int signal) {
  if (!controlled()) return HEDDLE_REAL(__xpg_sigpause)(signal);
  if (!valid(signal)) return libc_result(-EINVAL);
  return libc_result(suspend_until_signal(current()->signal_mask & ~signal_bit(signal)));
}

HEDDLE_INTERPOSE Handler sigset(int signal, Handler handler) noexcept {
  if (!controlled()) return HEDDLE_REAL(sigset)(signal, handler);
  if (!valid(signal)) return libc_result(-EINVAL), SIG_ERR;
  const bool was_blocked = (current()->signal_mask & signal_bit(signal)) != 0;
  struct sigaction old{};
  if (handler == SIG_HOLD) {
    if (sigaction(signal, nullptr, &old) != 0 || change_one(SIG_BLOCK, signal) != 0) return SIG_ERR;
    return was_blocked ? SIG_HOLD : old.sa_handler;
  }
  const Handler previous = replace_handler(signal, handler, 0, 0);
  if (previous == SIG_ERR || change_one(SIG_UNBLOCK, signal) != 0) return SIG_ERR;
  return was_blocked ? SIG_HOLD : previous;
}

HEDDLE_INTERPOSED(int, sighold, (int signal) noexcept, (signal), change_one(SIG_BLOCK, signal))
HEDDLE_INTERPOSED(int, sigrelse, (int signal) noexcept, (signal), change_one(SIG_UNBLOCK, signal))
HEDDLE_INTERPOSED(int, sigignore, (int signal) noexcept, (signal),
                  replace_handler(signal, SIG_IGN, 0, 0) == SIG_ERR ? -1 : 0)
