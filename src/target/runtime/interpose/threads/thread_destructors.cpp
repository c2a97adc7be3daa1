#include "runtime/interpose/threads/thread_destructors.h"

#include <limits.h>
#include <pthread.h>

#include "runtime/memory/arena.h"
#include "runtime/debug/injection.h"
#include "runtime/os/real.h"
#include "runtime/schedule/scheduler.h"

extern "C" int __cxa_thread_atexit_impl(void (*function)(void*), void* object, void* dso);

HEDDLE_REAL(__cxa_thread_atexit_impl)
HEDDLE_REAL(pthread_key_create)
HEDDLE_REAL(pthread_key_delete)

namespace heddle::runtime {
namespace {

// glibc is told of no destructor: the values stay with it, the destructors with us.
void (*key_destructors[PTHREAD_KEYS_MAX])(void*);

ThreadLocalDestructor* spare = nullptr;

ThreadLocalDestructor* new_entry() {
  if (spare == nullptr) return static_cast<ThreadLocalDestructor*>(arena_allocate(sizeof(ThreadLocalDestructor)));
  ThreadLocalDestructor* entry = spare;
  spare = entry->next;
  return entry;
}

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
    entry->next = spare;
    spare = entry;
    call.function(call.object);
  }
}

void run_thread_destructors(Thread* thread) {
  if (injecting) end_injected_guards();
  run_local_destructors(thread);
  for (int round = 0; round < PTHREAD_DESTRUCTOR_ITERATIONS && run_key_destructors_once(); ++round)
    run_local_destructors(thread);
}

}  // namespace heddle::runtime

using namespace heddle::runtime;

HEDDLE_INTERPOSE int __cxa_thread_atexit_impl(void (*function)(void*), void* object, void* dso) {
  if (!controlled() || current()->id == heddle::kMainThread)
    return real___cxa_thread_atexit_impl()(function, object, dso);
  ThreadLocalDestructor* entry = new_entry();
  *entry = {function, object, current()->local_destructors};
  current()->local_destructors = entry;
  return 0;
}

HEDDLE_INTERPOSE int pthread_key_create(pthread_key_t* key, void (*destructor)(void*)) {
  if (!controlled()) return real_pthread_key_create()(key, destructor);
  const int error = real_pthread_key_create()(key, nullptr);
  if (error == 0) key_destructors[*key] = destructor;
  return error;
}

HEDDLE_INTERPOSE int pthread_key_delete(pthread_key_t key) {
  if (controlled() && key < PTHREAD_KEYS_MAX) key_destructors[key] = nullptr;
  return real_pthread_key_delete()(key);
}
