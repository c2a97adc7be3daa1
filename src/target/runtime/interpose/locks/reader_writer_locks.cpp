// Readers-writer locks and spin locks, with glibc's state and its try functions. Readers and writers block at two
// gates, because a lock that admits a reader need not admit a writer.
#include <errno.h>
#include <pthread.h>

#include "runtime/control/failure.h"
#include "runtime/debug/injection.h"
#include "runtime/graph/collector.h"
#include "runtime/os/real.h"
#include "runtime/schedule/clock.h"
#include "runtime/schedule/scheduler.h"

namespace heddle::runtime {
namespace {

const void* object_of(pthread_spinlock_t* lock) { return const_cast<const int*>(lock); }
const void* reader_gate(const pthread_rwlock_t* lock) { return reinterpret_cast<const char*>(lock) + 1; }

// ReadSide, WriteSide and SpinSide hold the differences between the locks of this file.
struct ReadSide {
  static constexpr EventKind kKind = EventKind::ReadLock, kTryKind = EventKind::TryReadLock;

  static int attempt(pthread_rwlock_t* lock) { return HEDDLE_REAL(pthread_rwlock_tryrdlock)(lock); }
  static const void* gate(const pthread_rwlock_t* lock) { return reader_gate(lock); }
  static void note_taken(pthread_rwlock_t* lock) {
    close_gate(lock);
    note(EventKind::ReadLock, lock);
  }
};

struct WriteSide {
  static constexpr EventKind kKind = EventKind::Lock, kTryKind = EventKind::TryLock;

  static int attempt(pthread_rwlock_t* lock) { return HEDDLE_REAL(pthread_rwlock_trywrlock)(lock); }
  static const void* gate(const pthread_rwlock_t* lock) { return lock; }
  static void note_taken(pthread_rwlock_t* lock) {
    set_holder(lock, current()->id);
    close_gate(lock);
    close_gate(reader_gate(lock));
    note(EventKind::Lock, lock);
  }
};

struct SpinSide {
  static constexpr EventKind kKind = EventKind::Lock, kTryKind = EventKind::TryLock;

  static int attempt(pthread_spinlock_t* lock) { return HEDDLE_REAL(pthread_spin_trylock)(lock); }
  static void note_taken(pthread_spinlock_t* lock) {
    set_holder(object_of(lock), current()->id);
    close_gate(object_of(lock));
    note(EventKind::Lock, object_of(lock));
  }
};

template <typename Side>
int acquire(pthread_rwlock_t* lock, std::uint64_t deadline_ns) {
  for (;;) {
    const int error = Side::attempt(lock);
    if (error == 0) Side::note_taken(lock);
    if (error != EBUSY) return error;
    if (holder_of(lock) == current()->id) return EDEADLK;
    if (deadline_ns == kInvalidDeadline) return EINVAL;
    const WakeReason reason = block({.kind = Side::kKind, .key = Side::gate(lock), .deadline_ns = deadline_ns});
    if (reason == WakeReason::TimedOut) return ETIMEDOUT;
  }
}

// Inlined into the interposed functions, because the graph records their return addresses. `real` calls libc.
template <typename Side, typename Real>
[[gnu::always_inline]] inline int take(pthread_rwlock_t* lock, Timeout timeout, Real real) {
  if (!controlled()) return collect_native_success(real(), Side::kKind, lock);
  announce(Side::kKind, lock);
  return acquire<Side>(lock, timeout.deadline_ns());
}

template <typename Side, typename Lock>
[[gnu::always_inline]] inline int try_to_take(Lock* lock) {
  const void* object = const_cast<const void*>(static_cast<const volatile void*>(lock));
  if (!controlled()) return collect_native_attempt(Side::attempt(lock), Side::kKind, Side::kTryKind, object);
  announce(Side::kTryKind, object);
  const int error = Side::attempt(lock);
  if (error == 0)
    Side::note_taken(lock);
  else
    note(Side::kTryKind, object, 0);
  return error;
}

}  // namespace
}  // namespace heddle::runtime

using namespace heddle::runtime;

HEDDLE_INTERPOSE int pthread_rwlock_init(pthread_rwlock_t* lock, const pthread_rwlockattr_t* attributes) {
  note_lifetime(EventKind::Init, lock);
  return HEDDLE_REAL(pthread_rwlock_init)(lock, attributes);
}

HEDDLE_INTERPOSE int pthread_rwlock_rdlock(pthread_rwlock_t* lock) {
  const InjectedCall call(1);
  return take<ReadSide>(lock, {}, [&] { return HEDDLE_REAL(pthread_rwlock_rdlock)(lock); });
}

HEDDLE_INTERPOSE int pthread_rwlock_timedrdlock(pthread_rwlock_t* lock, const timespec* when) {
  return take<ReadSide>(lock, {when}, [&] { return HEDDLE_REAL(pthread_rwlock_timedrdlock)(lock, when); });
}

HEDDLE_INTERPOSE int pthread_rwlock_clockrdlock(pthread_rwlock_t* lock, clockid_t clock, const timespec* when) {
  return take<ReadSide>(lock, {when, clock},
                        [&] { return HEDDLE_REAL(pthread_rwlock_clockrdlock)(lock, clock, when); });
}

HEDDLE_INTERPOSE int pthread_rwlock_wrlock(pthread_rwlock_t* lock) {
  const InjectedCall call(1);
  return take<WriteSide>(lock, {}, [&] { return HEDDLE_REAL(pthread_rwlock_wrlock)(lock); });
}

HEDDLE_INTERPOSE int pthread_rwlock_timedwrlock(pthread_rwlock_t* lock, const timespec* when) {
  return take<WriteSide>(lock, {when}, [&] { return HEDDLE_REAL(pthread_rwlock_timedwrlock)(lock, when); });
}

HEDDLE_INTERPOSE int pthread_rwlock_clockwrlock(pthread_rwlock_t* lock, clockid_t clock, const timespec* when) {
  return take<WriteSide>(lock, {when, clock},
                         [&] { return HEDDLE_REAL(pthread_rwlock_clockwrlock)(lock, clock, when); });
}

HEDDLE_INTERPOSE int pthread_rwlock_tryrdlock(pthread_rwlock_t* lock) { return try_to_take<ReadSide>(lock); }
HEDDLE_INTERPOSE int pthread_rwlock_trywrlock(pthread_rwlock_t* lock) { return try_to_take<WriteSide>(lock); }

HEDDLE_INTERPOSE int pthread_rwlock_unlock(pthread_rwlock_t* lock) {
  const InjectedCall call(-1);
  if (!controlled()) {
    collect_native(EventKind::Unlock, lock);
    return HEDDLE_REAL(pthread_rwlock_unlock)(lock);
  }
  const bool was_written = holder_of(lock) == current()->id;
  const EventKind kind = was_written ? EventKind::Unlock : EventKind::ReadUnlock;
  announce(kind, lock);
  const int error = HEDDLE_REAL(pthread_rwlock_unlock)(lock);
  if (error != 0) return error;
  if (was_written) set_holder(lock, heddle::kNoThread);
  open_gate(lock);
  open_gate(reader_gate(lock));
  note(kind, lock);
  return 0;
}

HEDDLE_INTERPOSE int pthread_rwlock_destroy(pthread_rwlock_t* lock) {
  note_lifetime(EventKind::Destroy, lock);
  if (controlled()) {
    if (count_waiters(lock) + count_waiters(reader_gate(lock)) != 0)
      fail_destroyed_in_use("a readers-writer lock is destroyed while threads wait for it", lock);
    if (holder_of(lock) != heddle::kNoThread)
      fail_destroyed_in_use("a readers-writer lock is destroyed while it is held", lock);
    forget_object(lock);
    forget_object(reader_gate(lock));
  }
  return HEDDLE_REAL(pthread_rwlock_destroy)(lock);
}

HEDDLE_INTERPOSE int pthread_spin_init(pthread_spinlock_t* lock, int shared) {
  note_lifetime(EventKind::Init, object_of(lock));
  return HEDDLE_REAL(pthread_spin_init)(lock, shared);
}

HEDDLE_INTERPOSE int pthread_spin_lock(pthread_spinlock_t* lock) {
  const InjectedCall call(1);
  if (!controlled())
    return collect_native_success(HEDDLE_REAL(pthread_spin_lock)(lock), EventKind::Lock, object_of(lock));
  announce(EventKind::Lock, object_of(lock));
  while (SpinSide::attempt(lock) != 0) block({.kind = EventKind::Lock, .key = object_of(lock)});
  SpinSide::note_taken(lock);
  return 0;
}

HEDDLE_INTERPOSE int pthread_spin_trylock(pthread_spinlock_t* lock) { return try_to_take<SpinSide>(lock); }

HEDDLE_INTERPOSE int pthread_spin_unlock(pthread_spinlock_t* lock) {
  const InjectedCall call(-1);
  if (!controlled()) {
    collect_native(EventKind::Unlock, object_of(lock));
    return HEDDLE_REAL(pthread_spin_unlock)(lock);
  }
  announce(EventKind::Unlock, object_of(lock));
  set_holder(object_of(lock), heddle::kNoThread);
  const int error = HEDDLE_REAL(pthread_spin_unlock)(lock);
  open_gate(object_of(lock));
  note(EventKind::Unlock, object_of(lock));
  return error;
}

HEDDLE_INTERPOSE int pthread_spin_destroy(pthread_spinlock_t* lock) {
  note_lifetime(EventKind::Destroy, object_of(lock));
  if (controlled()) forget_object(object_of(lock));
  return HEDDLE_REAL(pthread_spin_destroy)(lock);
}
