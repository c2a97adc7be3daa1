// Threads of the program: the engine starts them, the scheduler joins them, and each runs its destructors at its end.
#include <errno.h>
#include <pthread.h>
#include <stdlib.h>

#include "runtime/debug/annotate.h"
#include "runtime/debug/injection.h"
#include "runtime/engine/engine.h"
#include "runtime/interpose/threads/cancellation.h"
#include "runtime/os/real.h"
#include "runtime/schedule/clock.h"
#include "runtime/schedule/scheduler.h"
#include "runtime/schedule/work.h"

namespace heddle::runtime {
namespace {

constexpr std::uint64_t kWithoutWaiting = 0;

int join(pthread_t handle, void** result, std::uint64_t deadline_ns) {
  if (deadline_ns == kInvalidDeadline) return EINVAL;
  Thread* thread = find_thread(handle);
  if (thread == nullptr) return ESRCH;
  if (thread == current()) return EDEADLK;
  if (thread->detached || thread->joined) return EINVAL;
  if (thread->never_started) {
    if (result != nullptr) *result = nullptr;
    release_thread(thread);
    return 0;
  }
  announce(EventKind::Join, thread);
  test_cancellation();
  while (thread->state != ThreadState::Exited) {
    if (deadline_ns == kWithoutWaiting) return EBUSY;
    const WakeReason reason = block_cancellable(EventKind::Join, thread, deadline_ns);
    if (reason == WakeReason::Cancelled) test_cancellation();
    if (reason == WakeReason::TimedOut && thread->state != ThreadState::Exited) return ETIMEDOUT;
  }
  note_thread(EventKind::Join, thread);
  if (result != nullptr) *result = thread->result;
  thread->joined = true;
  release_thread(thread);
  return 0;
}

// An expired time-out differs from an attempt without waiting: it yields ETIMEDOUT, not EBUSY.
int join(pthread_t handle, void** result, Timeout timeout) {
  const std::uint64_t deadline_ns = timeout.deadline_ns();
  return join(handle, result, deadline_ns == kWithoutWaiting ? 1 : deadline_ns);
}

}  // namespace

void thread_main(Thread* thread) {
  note_thread(EventKind::Begin, thread);
  catch_thread_exit(
      [](void* argument) {
        auto* self = static_cast<Thread*>(argument);
        self->result = self->start_routine(self->argument);
      },
      thread);
  thread_exited(thread);
}

void thread_exited(Thread* thread) {
  thread->exiting = true;
  run_thread_destructors(thread);
  point(EventKind::Exit, nullptr);
  if (live_thread_count() == 1) exit(0);
  exit_current_thread();
}

}  // namespace heddle::runtime

using namespace heddle::runtime;

HEDDLE_INTERPOSE int pthread_create(pthread_t* handle, const pthread_attr_t* attributes, void* (*start_routine)(void*),
                                    void* argument) {
  const InjectedCall call;
  if (!controlled()) return HEDDLE_REAL(pthread_create)(handle, attributes, start_routine, argument);
  Thread* thread = create_thread(current());
  thread->start_routine = start_routine;
  thread->argument = argument;
  if (is_disabled(thread)) {
    register_disabled_thread(thread);
    note_thread(EventKind::Fork, thread);
    *handle = thread->handle;
    return 0;
  }
  if (const int error = start_thread(thread, attributes); error != 0) {
    abandon_thread(thread);
    return error;
  }
  *handle = thread->handle;
  register_thread(thread);
  note_thread(EventKind::Fork, thread);
  spend(work::kCreateThreadNs);
  return 0;
}

HEDDLE_INTERPOSE int pthread_join(pthread_t handle, void** result) {
  const InjectedCall call;
  if (!controlled()) return HEDDLE_REAL(pthread_join)(handle, result);
  return join(handle, result, kNoDeadline);
}

HEDDLE_INTERPOSED(int, pthread_tryjoin_np, (pthread_t handle, void** result), (handle, result),
                  join(handle, result, kWithoutWaiting))

HEDDLE_INTERPOSED(int, pthread_timedjoin_np, (pthread_t handle, void** result, const timespec* when),
                  (handle, result, when), join(handle, result, Timeout{when}))
HEDDLE_INTERPOSED(int, pthread_clockjoin_np, (pthread_t handle, void** result, clockid_t clock, const timespec* when),
                  (handle, result, clock, when), join(handle, result, Timeout{when, clock}))

HEDDLE_INTERPOSE int pthread_detach(pthread_t handle) {
  if (!controlled()) return HEDDLE_REAL(pthread_detach)(handle);
  Thread* thread = find_thread(handle);
  if (thread == nullptr) return ESRCH;
  if (thread->detached) return EINVAL;
  if (thread->never_started) {
    release_thread(thread);
    return 0;
  }
  point(EventKind::Detach, thread);
  thread->detached = true;
  if (thread->state == ThreadState::Exited) release_thread(thread);
  return 0;
}

HEDDLE_INTERPOSE int pthread_setname_np(pthread_t handle, const char* name) {
  if (!controlled()) return HEDDLE_REAL(pthread_setname_np)(handle, name);
  Thread* thread = find_thread(handle);
  if (thread == nullptr) return ESRCH;
  const std::size_t length = __builtin_strlen(name);
  if (length >= sizeof thread->name) return ERANGE;
  __builtin_memcpy(thread->name, name, length + 1);
  debug_thread_named(thread);
  return 0;
}

HEDDLE_INTERPOSE int pthread_getname_np(pthread_t handle, char* buffer, std::size_t size) {
  if (!controlled()) return HEDDLE_REAL(pthread_getname_np)(handle, buffer, size);
  Thread* thread = find_thread(handle);
  if (thread == nullptr) return ESRCH;
  if (thread->name[0] == 0) return HEDDLE_REAL(pthread_getname_np)(pthread_self(), buffer, size);
  const std::size_t length = __builtin_strlen(thread->name);
  if (length >= size) return ERANGE;
  __builtin_memcpy(buffer, thread->name, length + 1);
  return 0;
}

// glibc derives main's stack from the kernel's memory map, but main runs on a stack of the runtime.
HEDDLE_INTERPOSE int pthread_getattr_np(pthread_t handle, pthread_attr_t* attributes) {
  const Thread* thread = controlled() ? find_thread(handle) : nullptr;
  if (thread != nullptr && thread->never_started) return ESRCH;
  const int error = HEDDLE_REAL(pthread_getattr_np)(handle, attributes);
  if (error != 0) return error;
  if (thread == nullptr) return 0;
  pthread_attr_setdetachstate(attributes, thread->detached ? PTHREAD_CREATE_DETACHED : PTHREAD_CREATE_JOINABLE);
  if (thread->id == heddle::kMainThread && thread->stack_begin != nullptr)
    pthread_attr_setstack(attributes, thread->stack_begin, thread->stack_size);
  return 0;
}

// The C library destroys the thread-local objects of the thread that calls exit, but it knows main's only; the runtime
// stores those of the other threads.
HEDDLE_INTERPOSE void exit(int code) {
  if (controlled() && current()->id != heddle::kMainThread) run_local_destructors(current());
  HEDDLE_REAL(exit)(code);
  __builtin_unreachable();
}
