// Mutex state stays in glibc's pthread_mutex_t: the runtime calls the real trylock in the thread's own name, and the
// thread blocks at a gate while the mutex is taken. So every kind (recursive, error-checking, robust,
// priority-inheriting) behaves as it does in glibc.
#include "runtime/interpose/locks/mutexes.h"

#include <errno.h>
#include <linux/futex.h>

#include "runtime/control/failure.h"
#include "runtime/debug/injection.h"
#include "runtime/graph/collector.h"
#include "runtime/os/real.h"
#include "runtime/record/session.h"
#include "runtime/runtime.h"
#include "runtime/schedule/clock.h"
#include "runtime/schedule/scheduler.h"

namespace heddle::runtime {
namespace {

constexpr int kKindMask = 3;
constexpr int kRobustBit = 16;  // PTHREAD_MUTEX_ROBUST_NORMAL_NP in glibc's __kind

int kind_of(const pthread_mutex_t* mutex) { return mutex->__data.__kind & kKindMask; }

// True for a lock or unlock of a recursive mutex that does not change its holder: such a call records no event.
bool nested(const pthread_mutex_t* mutex) {
  return kind_of(mutex) == PTHREAD_MUTEX_RECURSIVE_NP && mutex->__data.__count > 1;
}

// True if a lock by the holder fails with EDEADLK in glibc; otherwise it waits forever.
bool reports_relock(const pthread_mutex_t* mutex) { return kind_of(mutex) == PTHREAD_MUTEX_ERRORCHECK_NP; }

// glibc's trylock leaves an unrecoverable robust mutex locked by the caller, so that the next attempt would find it
// busy; pthread_mutex_lock does not.
int try_mutex(pthread_mutex_t* mutex) {
  const int error = HEDDLE_REAL(pthread_mutex_trylock)(mutex);
  if (error == ENOTRECOVERABLE && mutex->__data.__lock == current()->kernel_tid) mutex->__data.__lock = 0;
  return error;
}

bool taken(int error) { return error == 0 || error == EOWNERDEAD; }

constexpr GrowingArray<RobustHeld>& robust_held = rt.interpose.robust_held;

bool is_robust(const pthread_mutex_t* mutex) { return (mutex->__data.__kind & kRobustBit) != 0; }

void forget_robust(const pthread_mutex_t* mutex) {
  robust_held.erase_first([mutex](const RobustHeld& held) { return held.mutex == mutex; });
}

void note_taken(pthread_mutex_t* mutex) {
  if (nested(mutex)) return;
  if (is_robust(mutex)) robust_held.push_back({mutex, current()->id});
  set_holder(mutex, current()->id);
  close_gate(mutex);
  note(EventKind::Lock, mutex);
}

bool checks_owner(const pthread_mutex_t* mutex) {
  return kind_of(mutex) == PTHREAD_MUTEX_ERRORCHECK_NP || kind_of(mutex) == PTHREAD_MUTEX_RECURSIVE_NP ||
         is_robust(mutex);
}

// Collects the event of an attempt without control. Returns `error`.
[[gnu::always_inline]] inline int collect_native_taken(int error, const pthread_mutex_t* mutex) {
  if (!taken(error))
    collect_native(EventKind::TryLock, mutex);
  else if (!nested(mutex))
    collect_native(EventKind::Lock, mutex);
  return error;
}

// Inlined into the interposed function, because the graph records its return address. `real` calls libc.
template <typename Real>
[[gnu::always_inline]] inline int take(pthread_mutex_t* mutex, Timeout timeout, Real real) {
  if (!controlled()) return collect_native_taken(real(), mutex);
  announce(EventKind::Lock, mutex);
  return acquire_mutex(mutex, timeout.deadline_ns());
}

}  // namespace

int acquire_mutex(pthread_mutex_t* mutex, std::uint64_t deadline_ns) {
  for (;;) {
    const int error = try_mutex(mutex);
    if (taken(error)) {
      note_taken(mutex);
      return error;
    }
    if (error != EBUSY) {
      note_unhashed(EventKind::TryLock, mutex);
      return error;
    }
    if (holder_of(mutex) == current()->id && reports_relock(mutex)) return EDEADLK;
    if (deadline_ns == kInvalidDeadline) return EINVAL;
    const WakeReason reason =
        block({.kind = EventKind::Lock, .key = mutex, .deadline_ns = deadline_ns, .interruptible = true});
    if (reason == WakeReason::TimedOut) return ETIMEDOUT;
  }
}

int release_mutex(pthread_mutex_t* mutex) {
  const bool keeps = nested(mutex);
  const bool checked = checks_owner(mutex);
  const ThreadId holder = holder_of(mutex);
  if (!checked && holder != current()->id) {
    if (hot.graph != GraphWork::None) collect_operation(EventKind::Unlock, mutex);  // the failing unlock
    fail_misuse(holder == kNoThread ? "a mutex is unlocked that no thread holds"
                                    : "a mutex is unlocked by a thread that does not hold it",
                mutex);
  }
  const int error = HEDDLE_REAL(pthread_mutex_unlock)(mutex);
  if (error != 0 || keeps) return error;
  if (is_robust(mutex)) forget_robust(mutex);
  set_holder(mutex, kNoThread);
  open_gate(mutex);
  note(EventKind::Unlock, mutex);
  return 0;
}

void abandon_robust_mutexes(const Thread* thread) {
  for (std::size_t i = robust_held.size(); i-- > 0;) {
    if (robust_held[i].holder != thread->id) continue;
    pthread_mutex_t* mutex = robust_held[i].mutex;
    robust_held.erase(i);
    // The kernel marks the mutex when the holder's kernel thread ends. In a checkpoint's copy the holder's kernel
    // thread does not exist.
    if (thread->process != process_id()) mutex->__data.__lock = static_cast<int>(FUTEX_OWNER_DIED);
    set_holder(mutex, kNoThread);
    open_gate(mutex);
  }
}

}  // namespace heddle::runtime

using namespace heddle::runtime;

HEDDLE_INTERPOSE int pthread_mutex_init(pthread_mutex_t* mutex, const pthread_mutexattr_t* attributes) {
  note_lifetime(EventKind::Init, mutex);
  return HEDDLE_REAL(pthread_mutex_init)(mutex, attributes);
}

HEDDLE_INTERPOSE int pthread_mutex_lock(pthread_mutex_t* mutex) {
  const InjectedCall call(1);
  return take(mutex, {}, [&] { return HEDDLE_REAL(pthread_mutex_lock)(mutex); });
}

HEDDLE_INTERPOSE int pthread_mutex_trylock(pthread_mutex_t* mutex) {
  const InjectedCall call;
  if (!controlled()) return collect_native_taken(HEDDLE_REAL(pthread_mutex_trylock)(mutex), mutex);
  announce(EventKind::TryLock, mutex);
  const int error = try_mutex(mutex);
  if (taken(error))
    note_taken(mutex);
  else
    note(EventKind::TryLock, mutex, 0);
  return error;
}

HEDDLE_INTERPOSE int pthread_mutex_timedlock(pthread_mutex_t* mutex, const timespec* when) {
  const InjectedCall call;
  return take(mutex, {when}, [&] { return HEDDLE_REAL(pthread_mutex_timedlock)(mutex, when); });
}

HEDDLE_INTERPOSE int pthread_mutex_clocklock(pthread_mutex_t* mutex, clockid_t clock, const timespec* when) {
  const InjectedCall call;
  return take(mutex, {when, clock}, [&] { return HEDDLE_REAL(pthread_mutex_clocklock)(mutex, clock, when); });
}

HEDDLE_INTERPOSE int pthread_mutex_unlock(pthread_mutex_t* mutex) {
  const InjectedCall call(-1);
  if (!controlled()) {
    if (!nested(mutex)) collect_native(EventKind::Unlock, mutex);
    return HEDDLE_REAL(pthread_mutex_unlock)(mutex);
  }
  announce(EventKind::Unlock, mutex);
  return release_mutex(mutex);
}

HEDDLE_INTERPOSE int pthread_mutex_destroy(pthread_mutex_t* mutex) {
  note_lifetime(EventKind::Destroy, mutex);
  if (!controlled()) return HEDDLE_REAL(pthread_mutex_destroy)(mutex);
  if (holder_of(mutex) != heddle::kNoThread) fail_destroyed_in_use("a mutex is destroyed while it is held", mutex);
  if (count_waiters(mutex) != 0) fail_destroyed_in_use("a mutex is destroyed while threads wait for it", mutex);
  const int error = HEDDLE_REAL(pthread_mutex_destroy)(mutex);
  if (error == 0) forget_object(mutex);
  return error;
}
