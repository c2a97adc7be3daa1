// Condition variables exist only in the scheduler. glibc's state is not used, so that the strategy chooses which waiter
// wakes.
#include <errno.h>
#include <pthread.h>

#include "runtime/control/failure.h"
#include "runtime/debug/injection.h"
#include "runtime/graph/collector.h"
#include "runtime/interpose/locks/mutexes.h"
#include "runtime/interpose/threads/cancellation.h"
#include "runtime/os/real.h"
#include "runtime/schedule/clock.h"
#include "runtime/schedule/scheduler.h"

// The version that programs bind to; the default of dlsym would be the oldest.
#define HEDDLE_REAL_CONDITION(name) HEDDLE_REAL_VERSION(name, "GLIBC_2.3.2")

namespace heddle::runtime {
namespace {

int wait(pthread_cond_t* condition, pthread_mutex_t* mutex, std::uint64_t deadline_ns) {
  if (deadline_ns == kInvalidDeadline) return EINVAL;
  announce(EventKind::Wait, condition);
  test_cancellation();
  if (holder_of(mutex) != current()->id)
    fail_misuse("a thread waits on a condition variable without holding its mutex", mutex);
  if (const int error = release_mutex(mutex); error != 0) return error;
  note(EventKind::Wait, condition);
  // A signal handler that runs during the wait ends it like a spurious wake-up.
  const WakeReason reason = block_cancellable(EventKind::Wait, condition, deadline_ns);
  note(EventKind::Woken, condition, reason == WakeReason::TimedOut ? 1 : 0);
  const int error = acquire_mutex(mutex, kNoDeadline);
  if (reason == WakeReason::Cancelled) test_cancellation();
  if (error != 0) return error;
  return reason == WakeReason::TimedOut ? ETIMEDOUT : 0;
}

// Inlined into the interposed function, because the graph records its return address. `real` calls libc. Without
// control the graph collects the events that wait() above records.
template <typename Real>
[[gnu::always_inline]] inline int wait(pthread_cond_t* condition, pthread_mutex_t* mutex, Timeout timeout, Real real) {
  const InjectedCall call;
  if (controlled()) return wait(condition, mutex, timeout.deadline_ns());
  collect_native(EventKind::Unlock, mutex);
  collect_native(EventKind::Wait, condition);
  const int result = real();
  collect_native(EventKind::Woken, condition);
  collect_native(EventKind::Lock, mutex);
  return result;
}

// Wakes up to `count` waiters.
template <typename Real>
[[gnu::always_inline]] inline int notify(EventKind kind, pthread_cond_t* condition, std::uint32_t count, Real real) {
  const InjectedCall call;
  if (!controlled()) {
    collect_native(kind, condition);
    return real();
  }
  point(kind, condition);
  wake(condition, count);
  return 0;
}

// The clock of pthread_condattr_setclock, from the bit of the condition variable in which glibc stores it.
clockid_t clock_of(const pthread_cond_t* condition) {
  return (condition->__data.__wrefs & 2) != 0 ? CLOCK_MONOTONIC : CLOCK_REALTIME;
}

}  // namespace
}  // namespace heddle::runtime

using namespace heddle::runtime;

HEDDLE_INTERPOSE int pthread_cond_init(pthread_cond_t* condition, const pthread_condattr_t* attributes) {
  note_lifetime(EventKind::Init, condition);
  return HEDDLE_REAL_CONDITION(pthread_cond_init)(condition, attributes);
}

HEDDLE_INTERPOSE int pthread_cond_wait(pthread_cond_t* condition, pthread_mutex_t* mutex) {
  return wait(condition, mutex, {}, [&] { return HEDDLE_REAL_CONDITION(pthread_cond_wait)(condition, mutex); });
}

HEDDLE_INTERPOSE int pthread_cond_timedwait(pthread_cond_t* condition, pthread_mutex_t* mutex, const timespec* when) {
  return wait(condition, mutex, {when, clock_of(condition)},
              [&] { return HEDDLE_REAL_CONDITION(pthread_cond_timedwait)(condition, mutex, when); });
}

HEDDLE_INTERPOSE int pthread_cond_clockwait(pthread_cond_t* condition, pthread_mutex_t* mutex, clockid_t clock,
                                            const timespec* when) {
  return wait(condition, mutex, {when, clock},
              [&] { return HEDDLE_REAL(pthread_cond_clockwait)(condition, mutex, clock, when); });
}

HEDDLE_INTERPOSE int pthread_cond_signal(pthread_cond_t* condition) {
  return notify(EventKind::Signal, condition, 1, [&] { return HEDDLE_REAL_CONDITION(pthread_cond_signal)(condition); });
}

HEDDLE_INTERPOSE int pthread_cond_broadcast(pthread_cond_t* condition) {
  return notify(EventKind::Broadcast, condition, ~std::uint32_t{0},
                [&] { return HEDDLE_REAL_CONDITION(pthread_cond_broadcast)(condition); });
}

HEDDLE_INTERPOSE int pthread_cond_destroy(pthread_cond_t* condition) {
  note_lifetime(EventKind::Destroy, condition);
  if (controlled()) {
    if (count_waiters(condition) != 0)
      fail_destroyed_in_use("a condition variable is destroyed while threads wait for it", condition);
    forget_object(condition);
  }
  return HEDDLE_REAL_CONDITION(pthread_cond_destroy)(condition);
}
