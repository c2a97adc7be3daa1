// Linked into every program that is built with HEDDLE_BUILD=production. Each thread stores its name by descent
// ("0.2.1"), so that a thread in a core can be matched with a thread of a later run. The cost is one additional
// function call when a thread begins.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { kNameBytes = 64 };

// The host finds this variable in the core by its name. A name that is too long is truncated.
struct HeddleDescent {
  char name[kNameBytes];
  unsigned children;
};
__thread struct HeddleDescent __heddle_descent __attribute__((visibility("hidden"))) = {"0", 0};

struct Start {
  void* (*routine)(void*);
  void* argument;
  char name[kNameBytes];
};

static void* begin(void* data) {
  struct Start start = *(struct Start*)data;
  free(data);
  memcpy(__heddle_descent.name, start.name, kNameBytes);
  __heddle_descent.children = 0;
  return start.routine(start.argument);
}

typedef int (*Create)(pthread_t*, const pthread_attr_t*, void* (*)(void*), void*);

__attribute__((visibility("default"))) int pthread_create(pthread_t* thread, const pthread_attr_t* attributes,
                                                          void* (*routine)(void*), void* argument) {
  static Create real;
  Create create = __atomic_load_n(&real, __ATOMIC_ACQUIRE);
  if (create == NULL) {
    create = (Create)dlsym(RTLD_NEXT, "pthread_create");
    if (create == NULL) return EAGAIN;
    __atomic_store_n(&real, create, __ATOMIC_RELEASE);
  }
  struct Start* start = malloc(sizeof *start);
  if (start == NULL) return EAGAIN;
  start->routine = routine;
  start->argument = argument;
  snprintf(start->name, sizeof start->name, "%.50s.%u", __heddle_descent.name, __heddle_descent.children + 1);
  const int error = create(thread, attributes, begin, start);
  if (error != 0)
    free(start);
  else
    ++__heddle_descent.children;
  return error;
}
