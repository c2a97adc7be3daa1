// Destructors of thread_local objects and of pthread keys.
#include <limits.h>
#include <pthread.h>

#include "runtime/debug/injection.h"
#include "runtime/interpose/threads/cancellation.h"
#include "runtime/os/real.h"
#include "runtime/runtime.h"
#include "runtime/schedule/scheduler.h"

extern "C" int __cxa_thread_atexit_impl(void (*function)(void*), void* object, void* dso);

namespace heddle::runtime {
namespace {

constexpr auto& key_destructors = rt.interpose.key_destructors;

bool run_key_destructors_once() {
  bool any = false;
  for (pthread_key_t key = 0; key < PTHREAD_KEYS_MAX; ++key) {
    if (key_destructors[key] == nullptr) continue;
    void* value = pthread_getspecific(key);
    if (value == nullptr) continue;
    pthread_setspecific(key, nullptr);
    key_destructors[key](value);
    any = true;
  }
  return any;
}

}  // namespace

void run_local_destructors(Thread* thread) {
  while (thread->local_destructors != nullptr) {
    ThreadLocalDestructor* entry = thread->local_destructors;
    thread->local_destructors = entry->next;
    const ThreadLocalDestructor call = *entry;
    rt.interpose.spare_destructors.give(entry);
    call.function(call.object);
  }
}

void run_thread_destructors(Thread* thread) {
  if (rt.debug.injecting) end_injected_guards();
  run_local_destructors(thread);
  for (int round = 0; round < PTHREAD_DESTRUCTOR_ITERATIONS && run_key_destructors_once(); ++round)
    run_local_destructors(thread);
}

}  // namespace heddle::runtime

using namespace heddle::runtime;

HEDDLE_INTERPOSE int __cxa_thread_atexit_impl(void (*function)(void*), void* object, void* dso) {
  if (!controlled() || current()->id == heddle::kMainThread)
    return HEDDLE_REAL(__cxa_thread_atexit_impl)(function, object, dso);
  ThreadLocalDestructor* entry = rt.interpose.spare_destructors.take();
  *entry = {function, object, current()->local_destructors};
  current()->local_destructors = entry;
  return 0;
}

HEDDLE_INTERPOSE int pthread_key_create(pthread_key_t* key, void (*destructor)(void*)) {
  if (!controlled()) return HEDDLE_REAL(pthread_key_create)(key, destructor);
  const int error = HEDDLE_REAL(pthread_key_create)(key, nullptr);
  if (error == 0) key_destructors[*key] = destructor;
  return error;
}

HEDDLE_INTERPOSE int pthread_key_delete(pthread_key_t key) {
  if (controlled() && key < PTHREAD_KEYS_MAX) key_destructors[key] = nullptr;
  return HEDDLE_REAL(pthread_key_delete)(key);
}
