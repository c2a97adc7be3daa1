// Readers-writer locks and spin locks: glibc's own state, tried without waiting. Readers and writers wait at two gates,
// since what lets a reader pass does not let a writer.
#include <errno.h>
#include <pthread.h>

#include "runtime/schedule/clock.h"
#include "runtime/control/failure.h"
#include "runtime/graph/collector.h"
#include "runtime/debug/injection.h"
#include "runtime/os/real.h"
#include "runtime/schedule/scheduler.h"

HEDDLE_REAL(pthread_rwlock_init)
HEDDLE_REAL(pthread_rwlock_rdlock)
HEDDLE_REAL(pthread_rwlock_wrlock)
HEDDLE_REAL(pthread_rwlock_tryrdlock)
HEDDLE_REAL(pthread_rwlock_trywrlock)
HEDDLE_REAL(pthread_rwlock_timedrdlock)
HEDDLE_REAL(pthread_rwlock_timedwrlock)
HEDDLE_REAL(pthread_rwlock_clockrdlock)
HEDDLE_REAL(pthread_rwlock_clockwrlock)
HEDDLE_REAL(pthread_rwlock_unlock)
HEDDLE_REAL(pthread_rwlock_destroy)
HEDDLE_REAL(pthread_spin_init)
HEDDLE_REAL(pthread_spin_lock)
HEDDLE_REAL(pthread_spin_trylock)
HEDDLE_REAL(pthread_spin_unlock)
HEDDLE_REAL(pthread_spin_destroy)

namespace heddle::runtime {
namespace {

const void* reader_gate(const pthread_rwlock_t* lock) { return reinterpret_cast<const char*>(lock) + 1; }

int acquire_for_reading(pthread_rwlock_t* lock, std::uint64_t deadline_ns) {
  for (;;) {
    const int error = real_pthread_rwlock_tryrdlock()(lock);
    if (error == 0) {
      close_gate(lock);
      note(EventKind::ReadLock, lock);
    }
    if (error != EBUSY) return error;
    if (holder_of(lock) == current()->id) return EDEADLK;
    if (deadline_ns == kInvalidDeadline) return EINVAL;
    const WakeReason reason =
        block({.kind = EventKind::ReadLock, .key = reader_gate(lock), .deadline_ns = deadline_ns});
    if (reason == WakeReason::TimedOut) return ETIMEDOUT;
  }
}

void note_written_lock(pthread_rwlock_t* lock) {
  set_holder(lock, current()->id);
  close_gate(lock);
  close_gate(reader_gate(lock));
  note(EventKind::Lock, lock);
}

int acquire_for_writing(pthread_rwlock_t* lock, std::uint64_t deadline_ns) {
  for (;;) {
    const int error = real_pthread_rwlock_trywrlock()(lock);
    if (error == 0) note_written_lock(lock);
    if (error != EBUSY) return error;
    if (holder_of(lock) == current()->id) return EDEADLK;
    if (deadline_ns == kInvalidDeadline) return EINVAL;
    const WakeReason reason = block({.kind = EventKind::Lock, .key = lock, .deadline_ns = deadline_ns});
    if (reason == WakeReason::TimedOut) return ETIMEDOUT;
  }
}

}  // namespace
}  // namespace heddle::runtime

using namespace heddle::runtime;

HEDDLE_INTERPOSE int pthread_rwlock_init(pthread_rwlock_t* lock, const pthread_rwlockattr_t* attributes) {
  tell_life(EventKind::Init, lock);
  return real_pthread_rwlock_init()(lock, attributes);
}

HEDDLE_INTERPOSE int pthread_rwlock_rdlock(pthread_rwlock_t* lock) {
  const InjectedCall call(1);
  if (!controlled()) return tell_success(real_pthread_rwlock_rdlock()(lock), EventKind::ReadLock, lock);
  announce(EventKind::ReadLock, lock);
  return acquire_for_reading(lock, kNoDeadline);
}

HEDDLE_INTERPOSE int pthread_rwlock_timedrdlock(pthread_rwlock_t* lock, const timespec* when) {
  if (!controlled()) return tell_success(real_pthread_rwlock_timedrdlock()(lock, when), EventKind::ReadLock, lock);
  announce(EventKind::ReadLock, lock);
  return acquire_for_reading(lock, absolute_deadline(CLOCK_REALTIME, when));
}

HEDDLE_INTERPOSE int pthread_rwlock_clockrdlock(pthread_rwlock_t* lock, clockid_t clock, const timespec* when) {
  if (!controlled())
    return tell_success(real_pthread_rwlock_clockrdlock()(lock, clock, when), EventKind::ReadLock, lock);
  announce(EventKind::ReadLock, lock);
  return acquire_for_reading(lock, absolute_deadline(clock, when));
}

HEDDLE_INTERPOSE int pthread_rwlock_wrlock(pthread_rwlock_t* lock) {
  const InjectedCall call(1);
  if (!controlled()) return tell_success(real_pthread_rwlock_wrlock()(lock), EventKind::Lock, lock);
  announce(EventKind::Lock, lock);
  return acquire_for_writing(lock, kNoDeadline);
}

HEDDLE_INTERPOSE int pthread_rwlock_timedwrlock(pthread_rwlock_t* lock, const timespec* when) {
  if (!controlled()) return tell_success(real_pthread_rwlock_timedwrlock()(lock, when), EventKind::Lock, lock);
  announce(EventKind::Lock, lock);
  return acquire_for_writing(lock, absolute_deadline(CLOCK_REALTIME, when));
}

HEDDLE_INTERPOSE int pthread_rwlock_clockwrlock(pthread_rwlock_t* lock, clockid_t clock, const timespec* when) {
  if (!controlled()) return tell_success(real_pthread_rwlock_clockwrlock()(lock, clock, when), EventKind::Lock, lock);
  announce(EventKind::Lock, lock);
  return acquire_for_writing(lock, absolute_deadline(clock, when));
}

HEDDLE_INTERPOSE int pthread_rwlock_tryrdlock(pthread_rwlock_t* lock) {
  if (!controlled())
    return tell_attempt(real_pthread_rwlock_tryrdlock()(lock), EventKind::ReadLock, EventKind::TryReadLock, lock);
  announce(EventKind::TryReadLock, lock);
  const int error = real_pthread_rwlock_tryrdlock()(lock);
  if (error == 0) {
    close_gate(lock);
    note(EventKind::ReadLock, lock);
  } else {
    note(EventKind::TryReadLock, lock, 0);
  }
  return error;
}

HEDDLE_INTERPOSE int pthread_rwlock_trywrlock(pthread_rwlock_t* lock) {
  if (!controlled())
    return tell_attempt(real_pthread_rwlock_trywrlock()(lock), EventKind::Lock, EventKind::TryLock, lock);
  announce(EventKind::TryLock, lock);
  const int error = real_pthread_rwlock_trywrlock()(lock);
  if (error == 0) note_written_lock(lock);
  else note(EventKind::TryLock, lock, 0);
  return error;
}

HEDDLE_INTERPOSE int pthread_rwlock_unlock(pthread_rwlock_t* lock) {
  const InjectedCall call(-1);
  if (!controlled()) {
    tell_operation(EventKind::Unlock, lock);
    return real_pthread_rwlock_unlock()(lock);
  }
  const bool was_written = holder_of(lock) == current()->id;
  const EventKind kind = was_written ? EventKind::Unlock : EventKind::ReadUnlock;
  announce(kind, lock);
  const int error = real_pthread_rwlock_unlock()(lock);
  if (error != 0) return error;
  if (was_written) set_holder(lock, heddle::kNoThread);
  open_gate(lock);
  open_gate(reader_gate(lock));
  note(kind, lock);
  return 0;
}

HEDDLE_INTERPOSE int pthread_rwlock_destroy(pthread_rwlock_t* lock) {
  tell_life(EventKind::Destroy, lock);
  if (!controlled()) return real_pthread_rwlock_destroy()(lock);
  if (count_waiters(lock) + count_waiters(reader_gate(lock)) != 0)
    fail_destroyed_in_use("a readers-writer lock is destroyed while threads wait for it", lock);
  if (holder_of(lock) != heddle::kNoThread) fail_destroyed_in_use("a readers-writer lock is destroyed while it is held", lock);
  forget_object(lock);
  forget_object(reader_gate(lock));
  return real_pthread_rwlock_destroy()(lock);
}

namespace {

const void* object_of(pthread_spinlock_t* lock) { return const_cast<const int*>(lock); }

void note_spin_taken(pthread_spinlock_t* lock) {
  set_holder(object_of(lock), current()->id);
  close_gate(object_of(lock));
  note(EventKind::Lock, object_of(lock));
}

}  // namespace

HEDDLE_INTERPOSE int pthread_spin_init(pthread_spinlock_t* lock, int shared) {
  tell_life(EventKind::Init, object_of(lock));
  return real_pthread_spin_init()(lock, shared);
}

HEDDLE_INTERPOSE int pthread_spin_lock(pthread_spinlock_t* lock) {
  const InjectedCall call(1);
  if (!controlled()) return tell_success(real_pthread_spin_lock()(lock), EventKind::Lock, object_of(lock));
  announce(EventKind::Lock, object_of(lock));
  while (real_pthread_spin_trylock()(lock) != 0) block({.kind = EventKind::Lock, .key = object_of(lock)});
  note_spin_taken(lock);
  return 0;
}

HEDDLE_INTERPOSE int pthread_spin_trylock(pthread_spinlock_t* lock) {
  if (!controlled())
    return tell_attempt(real_pthread_spin_trylock()(lock), EventKind::Lock, EventKind::TryLock, object_of(lock));
  announce(EventKind::TryLock, object_of(lock));
  const int error = real_pthread_spin_trylock()(lock);
  if (error == 0) note_spin_taken(lock);
  else note(EventKind::TryLock, object_of(lock), 0);
  return error;
}

HEDDLE_INTERPOSE int pthread_spin_unlock(pthread_spinlock_t* lock) {
  const InjectedCall call(-1);
  if (!controlled()) {
    tell_operation(EventKind::Unlock, object_of(lock));
    return real_pthread_spin_unlock()(lock);
  }
  announce(EventKind::Unlock, object_of(lock));
  set_holder(object_of(lock), heddle::kNoThread);
  const int error = real_pthread_spin_unlock()(lock);
  open_gate(object_of(lock));
  note(EventKind::Unlock, object_of(lock));
  return error;
}

HEDDLE_INTERPOSE int pthread_spin_destroy(pthread_spinlock_t* lock) {
  tell_life(EventKind::Destroy, object_of(lock));
  if (controlled()) forget_object(object_of(lock));
  return real_pthread_spin_destroy()(lock);
}
