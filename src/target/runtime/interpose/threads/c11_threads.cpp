// C11 threads, implemented with the POSIX functions. libc's versions call those by internal names, which bypasses the
// scheduler.
#include <errno.h>
#include <pthread.h>
#include <stdint.h>
#include <threads.h>

#include "runtime/os/real.h"

static_assert(sizeof(mtx_t) >= sizeof(pthread_mutex_t) && alignof(mtx_t) >= alignof(pthread_mutex_t));
static_assert(sizeof(cnd_t) >= sizeof(pthread_cond_t) && alignof(cnd_t) >= alignof(pthread_cond_t));
static_assert(sizeof(tss_t) == sizeof(pthread_key_t));
static_assert(sizeof(once_flag) == sizeof(pthread_once_t));

namespace {

pthread_mutex_t* mutex_of(mtx_t* mutex) { return reinterpret_cast<pthread_mutex_t*>(mutex); }
pthread_cond_t* condition_of(cnd_t* condition) { return reinterpret_cast<pthread_cond_t*>(condition); }

int to_c11(int error) {
  if (error == 0) return thrd_success;
  return error == ENOMEM ? thrd_nomem : error == ETIMEDOUT ? thrd_timedout : error == EBUSY ? thrd_busy : thrd_error;
}

}  // namespace

// The start routine returns an int in the low half of the register in which POSIX expects a pointer; thrd_join reads
// only that half.
HEDDLE_INTERPOSE int thrd_create(thrd_t* thread, thrd_start_t function, void* argument) {
  auto* routine = reinterpret_cast<void* (*)(void*)>(reinterpret_cast<void*>(function));
  const int error = pthread_create(thread, nullptr, routine, argument);
  return error == EAGAIN ? thrd_nomem : to_c11(error);
}

HEDDLE_INTERPOSE int thrd_join(thrd_t thread, int* result) {
  void* value = nullptr;
  const int error = pthread_join(thread, &value);
  if (error == 0 && result != nullptr) *result = static_cast<int>(reinterpret_cast<intptr_t>(value));
  return to_c11(error);
}

HEDDLE_INTERPOSE int thrd_detach(thrd_t thread) { return to_c11(pthread_detach(thread)); }
HEDDLE_INTERPOSE void thrd_exit(int result) { pthread_exit(reinterpret_cast<void*>(static_cast<intptr_t>(result))); }
HEDDLE_INTERPOSE thrd_t thrd_current() { return pthread_self(); }

HEDDLE_INTERPOSE int mtx_init(mtx_t* mutex, int type) {
  if ((type & ~(mtx_timed | mtx_recursive)) != 0) return thrd_error;
  pthread_mutexattr_t attributes;
  pthread_mutexattr_init(&attributes);
  pthread_mutexattr_settype(&attributes, (type & mtx_recursive) != 0 ? PTHREAD_MUTEX_RECURSIVE : PTHREAD_MUTEX_NORMAL);
  const int error = pthread_mutex_init(mutex_of(mutex), &attributes);
  pthread_mutexattr_destroy(&attributes);
  return to_c11(error);
}

HEDDLE_INTERPOSE int mtx_lock(mtx_t* mutex) { return to_c11(pthread_mutex_lock(mutex_of(mutex))); }
HEDDLE_INTERPOSE int mtx_trylock(mtx_t* mutex) { return to_c11(pthread_mutex_trylock(mutex_of(mutex))); }
HEDDLE_INTERPOSE int mtx_timedlock(mtx_t* __restrict mutex, const timespec* __restrict when) {
  return to_c11(pthread_mutex_timedlock(mutex_of(mutex), when));
}
HEDDLE_INTERPOSE int mtx_unlock(mtx_t* mutex) { return to_c11(pthread_mutex_unlock(mutex_of(mutex))); }
HEDDLE_INTERPOSE void mtx_destroy(mtx_t* mutex) { pthread_mutex_destroy(mutex_of(mutex)); }

HEDDLE_INTERPOSE int cnd_init(cnd_t* condition) { return to_c11(pthread_cond_init(condition_of(condition), nullptr)); }
HEDDLE_INTERPOSE int cnd_signal(cnd_t* condition) { return to_c11(pthread_cond_signal(condition_of(condition))); }
HEDDLE_INTERPOSE int cnd_broadcast(cnd_t* condition) { return to_c11(pthread_cond_broadcast(condition_of(condition))); }
HEDDLE_INTERPOSE int cnd_wait(cnd_t* condition, mtx_t* mutex) {
  return to_c11(pthread_cond_wait(condition_of(condition), mutex_of(mutex)));
}
HEDDLE_INTERPOSE int cnd_timedwait(cnd_t* __restrict condition, mtx_t* __restrict mutex,
                                   const timespec* __restrict when) {
  return to_c11(pthread_cond_timedwait(condition_of(condition), mutex_of(mutex), when));
}
HEDDLE_INTERPOSE void cnd_destroy(cnd_t* condition) { pthread_cond_destroy(condition_of(condition)); }

HEDDLE_INTERPOSE int tss_create(tss_t* key, tss_dtor_t destructor) {
  return to_c11(pthread_key_create(key, destructor));
}
HEDDLE_INTERPOSE void* tss_get(tss_t key) { return pthread_getspecific(key); }
HEDDLE_INTERPOSE int tss_set(tss_t key, void* value) { return to_c11(pthread_setspecific(key, value)); }
HEDDLE_INTERPOSE void tss_delete(tss_t key) { pthread_key_delete(key); }
