// Barriers store their state in the program's pthread_barrier_t, in a layout of the runtime; semaphores keep glibc's.
#include <errno.h>
#include <pthread.h>
#include <semaphore.h>

#include "runtime/control/failure.h"
#include "runtime/debug/injection.h"
#include "runtime/graph/collector.h"
#include "runtime/interpose/threads/cancellation.h"
#include "runtime/os/real.h"
#include "runtime/schedule/clock.h"
#include "runtime/schedule/scheduler.h"

namespace heddle::runtime {
namespace {

struct Barrier {
  std::uint32_t count;
  std::uint32_t arrived;
};
static_assert(sizeof(Barrier) <= sizeof(pthread_barrier_t));

Barrier* barrier_in(pthread_barrier_t* memory) { return reinterpret_cast<Barrier*>(memory); }

int attempt(sem_t* semaphore) { return HEDDLE_REAL(sem_trywait)(semaphore); }

int acquire(sem_t* semaphore, std::uint64_t deadline_ns) {
  announce(EventKind::SemaphoreWait, semaphore);
  test_cancellation();
  while (attempt(semaphore) != 0) {
    if (errno != EAGAIN) return -1;
    if (deadline_ns == kInvalidDeadline) {
      errno = EINVAL;
      return -1;
    }
    const WakeReason reason = block_cancellable(EventKind::SemaphoreWait, semaphore, deadline_ns);
    if (reason == WakeReason::Cancelled) test_cancellation();
    if (reason == WakeReason::TimedOut || reason == WakeReason::Interrupted) {
      errno = reason == WakeReason::TimedOut ? ETIMEDOUT : EINTR;
      return -1;
    }
  }
  int left = 0;
  if (HEDDLE_REAL(sem_getvalue)(semaphore, &left) == 0 && left <= 0) close_gate(semaphore);
  note(EventKind::SemaphoreWait, semaphore);
  return 0;
}

// Inlined into the interposed function, because the graph records its return address. `real` calls libc.
template <typename Real>
[[gnu::always_inline]] inline int take(sem_t* semaphore, Timeout timeout, Real real) {
  if (!controlled()) return collect_native_success(real(), EventKind::SemaphoreWait, semaphore);
  return acquire(semaphore, timeout.deadline_ns());
}

}  // namespace
}  // namespace heddle::runtime

using namespace heddle::runtime;

HEDDLE_INTERPOSE int pthread_barrier_init(pthread_barrier_t* barrier, const pthread_barrierattr_t* attributes,
                                          unsigned count) {
  note_lifetime(EventKind::Init, barrier);
  if (!controlled()) return HEDDLE_REAL(pthread_barrier_init)(barrier, attributes, count);
  if (count == 0) return EINVAL;
  *barrier_in(barrier) = {count, 0};
  return 0;
}

HEDDLE_INTERPOSE int pthread_barrier_wait(pthread_barrier_t* barrier) {
  const InjectedCall call;
  if (!controlled()) {
    collect_native(EventKind::BarrierArrive, barrier);
    const int result = HEDDLE_REAL(pthread_barrier_wait)(barrier);
    collect_native(EventKind::BarrierLeave, barrier);
    return result;
  }
  point(EventKind::BarrierArrive, barrier);
  Barrier* state = barrier_in(barrier);
  if (++state->arrived == state->count) {
    state->arrived = 0;
    wake(barrier, ~std::uint32_t{0});
    note(EventKind::BarrierLeave, barrier);
    return PTHREAD_BARRIER_SERIAL_THREAD;
  }
  block({.kind = EventKind::BarrierArrive, .key = barrier});
  note(EventKind::BarrierLeave, barrier);
  return 0;
}

HEDDLE_INTERPOSE int pthread_barrier_destroy(pthread_barrier_t* barrier) {
  note_lifetime(EventKind::Destroy, barrier);
  if (!controlled()) return HEDDLE_REAL(pthread_barrier_destroy)(barrier);
  if (count_waiters(barrier) != 0) fail_destroyed_in_use("a barrier is destroyed while threads wait at it", barrier);
  forget_object(barrier);
  return 0;
}

HEDDLE_INTERPOSE int sem_init(sem_t* semaphore, int shared, unsigned value) {
  note_lifetime(EventKind::Init, semaphore);
  return HEDDLE_REAL(sem_init)(semaphore, shared, value);
}

HEDDLE_INTERPOSE int sem_wait(sem_t* semaphore) {
  const InjectedCall call;
  return take(semaphore, {}, [&] { return HEDDLE_REAL(sem_wait)(semaphore); });
}

HEDDLE_INTERPOSE int sem_timedwait(sem_t* semaphore, const timespec* when) {
  return take(semaphore, {when}, [&] { return HEDDLE_REAL(sem_timedwait)(semaphore, when); });
}

HEDDLE_INTERPOSE int sem_clockwait(sem_t* semaphore, clockid_t clock, const timespec* when) {
  return take(semaphore, {when, clock}, [&] { return HEDDLE_REAL(sem_clockwait)(semaphore, clock, when); });
}

HEDDLE_INTERPOSE int sem_trywait(sem_t* semaphore) {
  if (!controlled()) return collect_native_success(attempt(semaphore), EventKind::SemaphoreWait, semaphore);
  announce(EventKind::SemaphoreWait, semaphore);
  const int error = attempt(semaphore);
  if (error == 0) note(EventKind::SemaphoreWait, semaphore);
  return error;
}

HEDDLE_INTERPOSE int sem_post(sem_t* semaphore) {
  const InjectedCall call;
  if (!controlled()) {
    collect_native(EventKind::SemaphorePost, semaphore);
    return HEDDLE_REAL(sem_post)(semaphore);
  }
  point(EventKind::SemaphorePost, semaphore);
  const int error = HEDDLE_REAL(sem_post)(semaphore);
  open_gate(semaphore);
  return error;
}

HEDDLE_INTERPOSE int sem_destroy(sem_t* semaphore) {
  note_lifetime(EventKind::Destroy, semaphore);
  if (controlled()) {
    if (count_waiters(semaphore) != 0)
      fail_destroyed_in_use("a semaphore is destroyed while threads wait for it", semaphore);
    forget_object(semaphore);
  }
  return HEDDLE_REAL(sem_destroy)(semaphore);
}
