// Dispositions, masks and alternate stacks.
#include "runtime/signals/signals.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <sys/signalfd.h>

#include "runtime/os/libc_result.h"
#include "runtime/os/real.h"
#include "runtime/signals/signal_actions.h"
#include "runtime/signals/signal_descriptors.h"
#include "runtime/signals/signal_stacks.h"

using namespace heddle::runtime;

// Also for threads without control, because the kernel has one table per process.
HEDDLE_INTERPOSE int sigaction(int signal, const struct sigaction* action, struct sigaction* old) {
  if (!signals_kept()) return HEDDLE_REAL(sigaction)(signal, action, old);
  KernelAction given{}, previous{};
  if (action != nullptr) {
    given.handler = reinterpret_cast<void*>(action->sa_handler);
    given.flags = static_cast<unsigned>(action->sa_flags);
    given.mask = to_word(action->sa_mask);
  }
  if (const long error = change_signal_action(signal, action == nullptr ? nullptr : &given, &previous); error != 0)
    return libc_result(error);
  if (old != nullptr) {
    old->sa_handler = reinterpret_cast<void (*)(int)>(previous.handler);
    old->sa_flags = static_cast<int>(previous.flags & ~kSaRestorer);
    old->sa_mask = to_set(previous.mask);
    old->sa_restorer = nullptr;
  }
  return 0;
}

HEDDLE_INTERPOSE int pthread_sigmask(int how, const sigset_t* set, sigset_t* old) {
  if (!controlled()) return HEDDLE_REAL(pthread_sigmask)(how, set, old);
  std::uint64_t wanted = set == nullptr ? 0 : to_word(*set);
  std::uint64_t before = 0;
  const long error = change_signal_mask(how, set == nullptr ? nullptr : &wanted, &before);
  if (error == 0 && old != nullptr) *old = to_set(before);
  return static_cast<int>(-error);
}

HEDDLE_INTERPOSED(int, sigprocmask, (int how, const sigset_t* set, sigset_t* old), (how, set, old),
                  libc_result(-pthread_sigmask(how, set, old)))

HEDDLE_INTERPOSE int sigpending(sigset_t* set) {
  if (!controlled()) return HEDDLE_REAL(sigpending)(set);
  *set = to_set(pending_signals());
  return 0;
}

HEDDLE_INTERPOSED(int, sigaltstack, (const stack_t* stack, stack_t* old), (stack, old),
                  libc_result(change_alternate_stack(stack, old)))

HEDDLE_INTERPOSE int signalfd(int descriptor, const sigset_t* set, int flags) noexcept {
  if (!controlled()) return HEDDLE_REAL(signalfd)(descriptor, set, flags);
  const long opened = open_signal_descriptor(descriptor, to_word(*set), flags);
  if (opened >= 0) offer_pending_to_descriptors();
  return libc_result(opened);
}
