// Condition variables live in the scheduler alone: nothing of glibc's state is used, so that who is woken is a choice.
#include <errno.h>
#include <pthread.h>

#include "runtime/interpose/threads/cancellation.h"
#include "runtime/schedule/clock.h"
#include "runtime/control/failure.h"
#include "runtime/graph/collector.h"
#include "runtime/interpose/locks/mutexes.h"
#include "runtime/debug/injection.h"
#include "runtime/os/real.h"
#include "runtime/schedule/scheduler.h"

// The version that programs bind to; the default of dlsym would be the oldest.
HEDDLE_REAL_VERSION(pthread_cond_init, "GLIBC_2.3.2")
HEDDLE_REAL_VERSION(pthread_cond_wait, "GLIBC_2.3.2")
HEDDLE_REAL_VERSION(pthread_cond_timedwait, "GLIBC_2.3.2")
HEDDLE_REAL_VERSION(pthread_cond_signal, "GLIBC_2.3.2")
HEDDLE_REAL_VERSION(pthread_cond_broadcast, "GLIBC_2.3.2")
HEDDLE_REAL_VERSION(pthread_cond_destroy, "GLIBC_2.3.2")
HEDDLE_REAL(pthread_cond_clockwait)

namespace heddle::runtime {
namespace {

int wait(pthread_cond_t* condition, pthread_mutex_t* mutex, std::uint64_t deadline_ns) {
  if (deadline_ns == kInvalidDeadline) return EINVAL;
  announce(EventKind::Wait, condition);
  test_cancellation();
  if (holder_of(mutex) != current()->id) fail_misuse("a condition variable is waited for without its mutex held", mutex);
  if (const int error = release_mutex(mutex); error != 0) return error;
  note(EventKind::Wait, condition);
  // A signal handler that runs meanwhile ends the wait as a spurious wake-up would.
  const WakeReason reason = block({.kind = EventKind::Wait,
                                   .key = condition,
                                   .deadline_ns = deadline_ns,
                                   .interruptible = true,
                                   .cancellable = true});
  note(EventKind::Woken, condition, reason == WakeReason::TimedOut ? 1 : 0);
  const int error = acquire_mutex(mutex, kNoDeadline);
  if (reason == WakeReason::Cancelled) test_cancellation();
  if (error != 0) return error;
  return reason == WakeReason::TimedOut ? ETIMEDOUT : 0;
}

// Around a wait without control, as wait() tells of it.
class ToldWait {
 public:
  [[gnu::always_inline]] ToldWait(const pthread_cond_t* condition, const pthread_mutex_t* mutex) : condition_(condition), mutex_(mutex) {
    tell_operation(EventKind::Unlock, mutex_);
    tell_operation(EventKind::Wait, condition_);
  }
  [[gnu::always_inline]] ~ToldWait() {
    tell_operation(EventKind::Woken, condition_);
    tell_operation(EventKind::Lock, mutex_);
  }
  ToldWait(const ToldWait&) = delete;
  ToldWait& operator=(const ToldWait&) = delete;

 private:
  const pthread_cond_t* const condition_;
  const pthread_mutex_t* const mutex_;
};

// pthread_condattr_setclock: where glibc keeps it in the condition variable.
clockid_t clock_of(const pthread_cond_t* condition) {
  return (condition->__data.__wrefs & 2) != 0 ? CLOCK_MONOTONIC : CLOCK_REALTIME;
}

}  // namespace
}  // namespace heddle::runtime

using namespace heddle::runtime;

HEDDLE_INTERPOSE int pthread_cond_init(pthread_cond_t* condition, const pthread_condattr_t* attributes) {
  tell_life(EventKind::Init, condition);
  return real_pthread_cond_init()(condition, attributes);
}

HEDDLE_INTERPOSE int pthread_cond_wait(pthread_cond_t* condition, pthread_mutex_t* mutex) {
  const InjectedCall call;
  if (!controlled()) {
    const ToldWait told(condition, mutex);
    return real_pthread_cond_wait()(condition, mutex);
  }
  return wait(condition, mutex, kNoDeadline);
}

HEDDLE_INTERPOSE int pthread_cond_timedwait(pthread_cond_t* condition, pthread_mutex_t* mutex, const timespec* when) {
  const InjectedCall call;
  if (!controlled()) {
    const ToldWait told(condition, mutex);
    return real_pthread_cond_timedwait()(condition, mutex, when);
  }
  return wait(condition, mutex, absolute_deadline(clock_of(condition), when));
}

HEDDLE_INTERPOSE int pthread_cond_clockwait(pthread_cond_t* condition, pthread_mutex_t* mutex, clockid_t clock,
                                            const timespec* when) {
  const InjectedCall call;
  if (!controlled()) {
    const ToldWait told(condition, mutex);
    return real_pthread_cond_clockwait()(condition, mutex, clock, when);
  }
  return wait(condition, mutex, absolute_deadline(clock, when));
}

HEDDLE_INTERPOSE int pthread_cond_signal(pthread_cond_t* condition) {
  const InjectedCall call;
  if (!controlled()) {
    tell_operation(EventKind::Signal, condition);
    return real_pthread_cond_signal()(condition);
  }
  point(EventKind::Signal, condition);
  wake(condition, 1);
  return 0;
}

HEDDLE_INTERPOSE int pthread_cond_broadcast(pthread_cond_t* condition) {
  const InjectedCall call;
  if (!controlled()) {
    tell_operation(EventKind::Broadcast, condition);
    return real_pthread_cond_broadcast()(condition);
  }
  point(EventKind::Broadcast, condition);
  wake(condition, ~std::uint32_t{0});
  return 0;
}

HEDDLE_INTERPOSE int pthread_cond_destroy(pthread_cond_t* condition) {
  tell_life(EventKind::Destroy, condition);
  if (!controlled()) return real_pthread_cond_destroy()(condition);
  if (count_waiters(condition) != 0) fail_destroyed_in_use("a condition variable is destroyed while threads wait for it", condition);
  forget_object(condition);
  return real_pthread_cond_destroy()(condition);
}
