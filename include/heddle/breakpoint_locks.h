// The locks that the calling thread holds.
#ifndef HEDDLE_BREAKPOINT_LOCKS_H
#define HEDDLE_BREAKPOINT_LOCKS_H

#include "breakpoint_state.h"

#ifdef __cplusplus
extern "C" {
#endif

HEDDLE_BP_FUNCTION void heddle_lock_taken(struct heddle_held_lock* held, const void* lock, const char* type) {
  held->lock = lock;
  held->type = type;
  held->next = heddle_bp_self_v1.locks;
  heddle_bp_self_v1.locks = held;
}

HEDDLE_BP_FUNCTION void heddle_lock_released(const struct heddle_held_lock* held) {
  struct heddle_held_lock** link = &heddle_bp_self_v1.locks;
  while (*link != NULL && *link != held) link = &(*link)->next;
  if (*link != NULL) *link = held->next;
}

// True for a lock that was passed to heddle_lock_taken and not to heddle_lock_released.
HEDDLE_BP_FUNCTION int heddle_lock_is_held(const void* lock) {
  const struct heddle_held_lock* held = heddle_bp_self_v1.locks;
  while (held != NULL && held->lock != lock) held = held->next;
  return held != NULL;
}

HEDDLE_BP_FUNCTION int heddle_lock_type_is_held(const char* type) {
  const struct heddle_held_lock* held = heddle_bp_self_v1.locks;
  while (held != NULL && (held->type == NULL || strcmp(held->type, type) != 0)) held = held->next;
  return held != NULL;
}

// Also finds a mutex that was not passed to heddle_lock_taken: glibc stores the owner in the mutex. The caller's own
// identifier is read from a probe mutex.
HEDDLE_BP_FUNCTION int heddle_mutex_is_held(const pthread_mutex_t* mutex) {
  if (heddle_lock_is_held(mutex)) return 1;
#ifdef __GLIBC__
  pthread_mutex_t probe = PTHREAD_MUTEX_INITIALIZER;
  pthread_mutex_lock(&probe);
  const int self = probe.__data.__owner;
  pthread_mutex_unlock(&probe);
  return __atomic_load_n(&mutex->__data.__owner, __ATOMIC_RELAXED) == self;
#else
  return 0;
#endif
}

#ifdef __cplusplus
}
#endif
#endif
