// Preloaded if stress alone causes no crash: occasionally a thread sleeps before it takes a mutex, as if it had lost
// the processor there.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <pthread.h>
#include <stdint.h>
#include <time.h>
#include <unistd.h>

enum { kOneOf = 200, kDelayMicroseconds = 20000 };

static __thread uint64_t state;

static uint64_t next_random(void) {
  if (state == 0) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    state = ((uint64_t)now.tv_nsec << 20 ^ (uint64_t)gettid()) | 1;
  }
  state ^= state << 13;
  state ^= state >> 7;
  state ^= state << 17;
  return state;
}

int pthread_mutex_lock(pthread_mutex_t* mutex) {
  static int (*real)(pthread_mutex_t*);
  if (real == NULL) real = (int (*)(pthread_mutex_t*))dlsym(RTLD_NEXT, "pthread_mutex_lock");
  if (next_random() % kOneOf == 0) usleep(kDelayMicroseconds);
  return real(mutex);
}
