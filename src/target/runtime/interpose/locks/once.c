// pthread_once, in C and compiled with -fexceptions: when an exception, a cancellation or pthread_exit unwinds the
// routine, the cleanup resets the state, so that the next caller tries again.
#include "runtime/interpose/locks/once.h"

#include <pthread.h>
#include <stddef.h>
#include <threads.h>

static void give_up(pthread_once_t** running) {
  if (*running != NULL) heddle_once_give_up(*running);
}

__attribute__((visibility("default"))) int pthread_once(pthread_once_t* control, void (*routine)(void)) {
  if (!heddle_once_controlled()) return heddle_once_real(control, routine);
  if (!heddle_once_begin(control)) return 0;
  pthread_once_t* running __attribute__((cleanup(give_up))) = control;
  routine();
  running = NULL;
  heddle_once_end(control);
  return 0;
}

__attribute__((visibility("default"))) void call_once(once_flag* flag, void (*routine)(void)) {
  pthread_once((pthread_once_t*)flag, routine);
}
