// Linked into every program that is built with HEDDLE_BUILD=production: each thread knows its name by descent ("0.2.1"),
// so that a core tells which thread of a later run is the one that crashed. All it costs is one more function call when
// a thread begins.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { kNameBytes = 64 };

// Read from the core by this name. Threads that are nested deeper than the name is long keep the part that fits.
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
