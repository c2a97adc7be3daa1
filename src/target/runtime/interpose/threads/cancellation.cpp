// pthread_exit unwinds to a buffer that glibc stores per thread. Each fiber has a buffer of its own: otherwise it would
// unwind into the frames of its host and end the kernel thread that runs all fibers. Cancellation is implemented here
// entirely, because glibc's would send a signal to the host.
#include "runtime/interpose/threads/cancellation.h"

#include <errno.h>
#include <pthread.h>

#include "runtime/os/real.h"
#include "runtime/schedule/scheduler.h"

extern "C" {
void __pthread_register_cancel(__pthread_unwind_buf_t* buffer);
void __pthread_unregister_cancel(__pthread_unwind_buf_t* buffer);
int heddle_setjmp(void* buffer, int save_mask) __asm__("__sigsetjmp") __attribute__((returns_twice));
}

namespace heddle::runtime {

__attribute__((noinline)) void catch_thread_exit(void (*function)(void*), void* argument) {
  __pthread_unwind_buf_t buffer;
  if (heddle_setjmp(buffer.__cancel_jmp_buf, 0) != 0) return;
  __pthread_register_cancel(&buffer);
  function(argument);
  __pthread_unregister_cancel(&buffer);
}

void test_cancellation() {
  Thread* self = current();
  if (!self->cancel_requested || self->cancel_disabled || self->exiting) return;
  self->cancel_requested = false;
  pthread_exit(PTHREAD_CANCELED);
}

}  // namespace heddle::runtime

using namespace heddle::runtime;

namespace {

// Sets the cancellation state or type of the current thread to `value`, `off` or `on`. Returns 0 or an errno value.
int set_cancellation(bool Thread::* setting, int off, int on, int value, int* old) {
  if (value != off && value != on) return EINVAL;
  Thread* self = current();
  if (old != nullptr) *old = self->*setting ? on : off;
  self->*setting = value == on;
  if (self->cancel_asynchronous) test_cancellation();
  return 0;
}

}  // namespace

HEDDLE_INTERPOSE void pthread_exit(void* result) {
  if (controlled()) {
    current()->result = result;
    current()->exiting = true;
  }
  HEDDLE_REAL(pthread_exit)(result);
  __builtin_unreachable();
}

HEDDLE_INTERPOSE int pthread_cancel(pthread_t handle) {
  if (!controlled()) return HEDDLE_REAL(pthread_cancel)(handle);
  Thread* thread = find_thread(handle);
  if (thread == nullptr) return ESRCH;
  point(EventKind::SignalSent, thread);
  thread->cancel_requested = true;
  if (thread == current()) {
    if (thread->cancel_asynchronous) test_cancellation();
    return 0;
  }
  if (thread->state == ThreadState::Blocked && thread->wait.cancellable && !thread->cancel_disabled && !thread->exiting)
    interrupt(thread, WakeReason::Cancelled);
  return 0;
}

HEDDLE_INTERPOSED(int, pthread_setcancelstate, (int state, int* old), (state, old),
                  set_cancellation(&Thread::cancel_disabled, PTHREAD_CANCEL_ENABLE, PTHREAD_CANCEL_DISABLE, state, old))
HEDDLE_INTERPOSED(int, pthread_setcanceltype, (int type, int* old), (type, old),
                  set_cancellation(&Thread::cancel_asynchronous, PTHREAD_CANCEL_DEFERRED, PTHREAD_CANCEL_ASYNCHRONOUS,
                                   type, old))

HEDDLE_INTERPOSE void pthread_testcancel() {
  if (!controlled()) return HEDDLE_REAL(pthread_testcancel)();
  point(EventKind::Yield, nullptr);  // a loop may call only this until it is cancelled
  test_cancellation();
}
