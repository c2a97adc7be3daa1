// The state that all objects and libraries of a process share: one mutex, the breakpoints by name, and their counts.
#ifndef HEDDLE_BREAKPOINT_STATE_H
#define HEDDLE_BREAKPOINT_STATE_H

#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#ifndef CLOCK_MONOTONIC
#error "heddle/breakpoint.h needs POSIX.1-2008: compile with -std=gnu11, or with -D_POSIX_C_SOURCE=200809L"
#endif

// HEDDLE_BP_OUTLINE keeps code out of the functions that have places, so that compilers inline them as without
// breakpoints.
#define HEDDLE_BP_OUTLINE __attribute__((noinline))
#ifdef __cplusplus
#define HEDDLE_BP_FUNCTION inline
#define HEDDLE_BP_OUTLINE_FUNCTION HEDDLE_BP_OUTLINE inline
extern "C" {
#else
#define HEDDLE_BP_FUNCTION static inline __attribute__((unused))
#define HEDDLE_BP_OUTLINE_FUNCTION HEDDLE_BP_OUTLINE static __attribute__((unused))
#endif
// The linker or loader keeps one definition. The names contain a version, so that different layouts are never shared.
#define HEDDLE_BP_SHARED __attribute__((weak, visibility("default")))

// Functions of libheddle_rt.so; absent in other programs. Enter returns nonzero if the caller is a thread under
// Heddle's scheduler. Between enter and leave no other thread runs, and operations are not scheduling points. A wait
// passes the turn; its time is virtual.
__attribute__((weak)) int heddle_breakpoint_enter(void);
__attribute__((weak)) void heddle_breakpoint_leave(void);
__attribute__((weak)) void heddle_breakpoint_wait(const void* key, unsigned long long timeout_ns);
__attribute__((weak)) void heddle_breakpoint_wake(const void* key);
__attribute__((weak)) unsigned long long heddle_breakpoint_now(void);
__attribute__((weak)) int heddle_breakpoint_is_main(void);

// A thread's cache of a breakpoint that all later arrivals pass: the thread need not take the mutex for it again.
struct heddle_bp_spent {
  const struct heddle_bp_record* record;  // NULL: none
  unsigned long long hits, timed_out;     // lower bounds
};
#define HEDDLE_BP_SPENT_MAX 8

// The library's data of the calling thread.
struct heddle_bp_self {
  int inside;      // it runs a predicate, in which breakpoints are ignored
  int controlled;  // between enter and leave under Heddle's scheduler
  int forking;     // the mutex is locked for a fork
  long tid;        // the kernel's thread id; 0: not read yet
  unsigned role;   // HEDDLE_ROLE_ANYBODY: none yet
  struct heddle_held_lock* locks;
  struct heddle_bp_spent spent[HEDDLE_BP_SPENT_MAX];  // by address of the name
};

struct heddle_bp_own_place {
  struct heddle_breakpoint at;
  int taken;
};

enum heddle_bp_presence { HEDDLE_BP_WAITING, HEDDLE_BP_MATCHED, HEDDLE_BP_LET_GO };

// A postponed thread; lives on its stack.
struct heddle_bp_waiter {
  const struct heddle_breakpoint* at;
  const struct heddle_bp_self* thread;
  long tid;
  enum heddle_bp_presence presence;
  struct heddle_bp_meeting* meeting;
  struct heddle_bp_waiter* next;
};

struct heddle_bp_place {
  unsigned number;
  const char* file;
  int line;
  unsigned long long reached, eligible;  // eligible: the local predicate held
  struct heddle_bp_place* next;
};

struct heddle_bp_record {
  char* name;
  unsigned places;  // 0: required, but not reached yet
  int required;
  pthread_cond_t changed;
  struct heddle_bp_waiter* waiters;
  struct heddle_bp_place* reached_places;
  unsigned long long reached, postponed, hits, timed_out;
  unsigned long long refused;  // partners were postponed, but the joint predicate was false
  unsigned long long overrun;  // a later thread resumed before the guard of an earlier one had ended
  unsigned said;               // enum heddle_bp_said: diagnoses already printed
  struct heddle_bp_record* next;
};

// One hit, and which of its threads have resumed. The last of these threads frees it.
struct heddle_bp_meeting {
  struct heddle_bp_record* record;
  unsigned places, users;
  int guarded;          // all members that have resumed so far have a guard
  unsigned char* done;  // by place: its guard has ended
  long* tid;            // by place
};

enum heddle_bp_switch { HEDDLE_BP_UNKNOWN, HEDDLE_BP_OFF, HEDDLE_BP_ON };

struct heddle_bp_state {
  int on;  // heddle_bp_switch; atomic
  int prepared, watched;
  pthread_mutex_t mutex;
  struct heddle_bp_record* first;
  unsigned waiting;             // threads in a wait of the library
  unsigned long long progress;  // counts arrivals, hits, time-outs and ends of guards
  unsigned long long roles;     // roles that a thread has taken; bit n: role n
};

HEDDLE_BP_SHARED struct heddle_bp_state heddle_bp_state_v1 = {0, 0, 0, PTHREAD_MUTEX_INITIALIZER, NULL, 0, 0, 0};
HEDDLE_BP_SHARED __thread struct heddle_bp_self heddle_bp_self_v1 = {0, 0, 0, 0, 0, NULL, {{NULL, 0, 0}}};
HEDDLE_BP_SHARED __thread struct heddle_bp_own_place heddle_bp_own_place_v1;

// Cold, so that compilers move code after a call of it out of the program's fast path.
HEDDLE_BP_OUTLINE_FUNCTION __attribute__((cold)) int heddle_bp_look_at_switch(void) {
  int on = __atomic_load_n(&heddle_bp_state_v1.on, __ATOMIC_RELAXED);
  if (on == HEDDLE_BP_UNKNOWN) {
    const char* const value = getenv("HEDDLE_BREAKPOINTS");
    on = value != NULL && strcmp(value, "on") == 0 ? HEDDLE_BP_ON : HEDDLE_BP_OFF;
    __atomic_store_n(&heddle_bp_state_v1.on, on, __ATOMIC_RELAXED);
  }
  return on == HEDDLE_BP_ON;
}

HEDDLE_BP_FUNCTION int heddle_breakpoints_on(void) {
  const int off = __atomic_load_n(&heddle_bp_state_v1.on, __ATOMIC_RELAXED) == HEDDLE_BP_OFF;
  return __builtin_expect(!off, 0) && heddle_bp_look_at_switch();
}

HEDDLE_BP_FUNCTION void heddle_bp_lock(void) {
  struct heddle_bp_self* const self = &heddle_bp_self_v1;
  if (heddle_breakpoint_enter) self->controlled = heddle_breakpoint_enter();
  // Under control, no other thread runs between enter and leave.
  if (!self->controlled) pthread_mutex_lock(&heddle_bp_state_v1.mutex);
}

HEDDLE_BP_FUNCTION void heddle_bp_unlock(void) {
  struct heddle_bp_self* const self = &heddle_bp_self_v1;
  if (!self->controlled) {
    pthread_mutex_unlock(&heddle_bp_state_v1.mutex);
    return;
  }
  self->controlled = 0;
  heddle_breakpoint_leave();
}

// Zero: the caller must not leave. In a joint predicate the thread has already entered.
HEDDLE_BP_FUNCTION int heddle_bp_enter_for_memory(void) {
  return !heddle_bp_self_v1.controlled && heddle_breakpoint_enter && heddle_breakpoint_enter();
}

HEDDLE_BP_OUTLINE_FUNCTION struct heddle_breakpoint* heddle_bp_new_inner_place(void) {
  const int entered = heddle_bp_enter_for_memory();
  struct heddle_breakpoint* const place = (struct heddle_breakpoint*)malloc(sizeof *place);
  if (entered) heddle_breakpoint_leave();
  if (place == NULL) abort();
  return place;
}

HEDDLE_BP_OUTLINE_FUNCTION void heddle_bp_delete_inner_place(struct heddle_breakpoint* place) {
  const int entered = heddle_bp_enter_for_memory();
  free(place);
  if (entered) heddle_breakpoint_leave();
}

// Storage of an arrival. It is not in the frame of the function that has the place, because GCC does not inline
// functions with a large frame. Each thread has one place, and nested places are on the heap.
HEDDLE_BP_FUNCTION struct heddle_breakpoint* heddle_bp_new_place(void) {
  struct heddle_bp_own_place* const own = &heddle_bp_own_place_v1;
  if (!own->taken) {
    own->taken = 1;
    return &own->at;
  }
  return heddle_bp_new_inner_place();
}

HEDDLE_BP_FUNCTION void heddle_bp_delete_place(struct heddle_breakpoint* place) {
  struct heddle_bp_own_place* const own = &heddle_bp_own_place_v1;
  if (place == &own->at)
    own->taken = 0;
  else
    heddle_bp_delete_inner_place(place);
}

HEDDLE_BP_FUNCTION unsigned long long heddle_bp_now_ns(void) {
  struct timespec now;
  if (heddle_bp_self_v1.controlled) return heddle_breakpoint_now();
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (unsigned long long)now.tv_sec * 1000000000ULL + (unsigned long long)now.tv_nsec;
}

// Timeouts are capped at ten years, so that a timespec cannot overflow.
HEDDLE_BP_FUNCTION unsigned long long heddle_bp_deadline(long long timeout_ms) {
  const long long longest_ms = 10LL * 365 * 24 * 3600 * 1000;
  const long long capped = timeout_ms < 0 ? 0 : timeout_ms < longest_ms ? timeout_ms : longest_ms;
  return heddle_bp_now_ns() + (unsigned long long)capped * 1000000ULL;
}

HEDDLE_BP_FUNCTION void heddle_bp_wake(struct heddle_bp_record* record) {
  ++heddle_bp_state_v1.progress;
  if (heddle_bp_self_v1.controlled)
    heddle_breakpoint_wake(record);
  else
    pthread_cond_broadcast(&record->changed);
}

HEDDLE_BP_FUNCTION void heddle_bp_make_condition(pthread_cond_t* condition) {
  pthread_condattr_t attributes;
  pthread_condattr_init(&attributes);
  pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
  pthread_cond_init(condition, &attributes);
  pthread_condattr_destroy(&attributes);
}

// NULL: no memory. REQUIRES: locked.
HEDDLE_BP_FUNCTION struct heddle_bp_record* heddle_bp_find_or_add(const char* name) {
  struct heddle_bp_record** link = &heddle_bp_state_v1.first;
  for (; *link != NULL; link = &(*link)->next)
    if (strcmp((*link)->name, name) == 0) return *link;
  const size_t size = strlen(name) + 1;
  struct heddle_bp_record* const record = (struct heddle_bp_record*)calloc(1, sizeof *record + size);
  if (record == NULL) return NULL;
  record->name = (char*)(record + 1);
  memcpy(record->name, name, size);
  heddle_bp_make_condition(&record->changed);
  *link = record;
  return record;
}

HEDDLE_BP_FUNCTION struct heddle_bp_place* heddle_bp_place_of(struct heddle_bp_record* record, unsigned number) {
  struct heddle_bp_place* place = record->reached_places;
  while (place != NULL && place->number != number) place = place->next;
  return place;
}

// The child of a fork gets a consistent state without waiting threads and with zero counts. A required breakpoint
// remains required only in the process that required it.
HEDDLE_BP_FUNCTION void heddle_bp_before_fork(void) {
  struct heddle_bp_self* const self = &heddle_bp_self_v1;
  heddle_bp_lock();
  self->forking = !self->controlled;
  if (self->controlled) heddle_bp_unlock();
}

HEDDLE_BP_FUNCTION void heddle_bp_after_fork_in_parent(void) {
  if (heddle_bp_self_v1.forking) heddle_bp_unlock();
  heddle_bp_self_v1.forking = 0;
}

HEDDLE_BP_FUNCTION void heddle_bp_after_fork_in_child(void) {
  struct heddle_bp_state* const state = &heddle_bp_state_v1;
  for (struct heddle_bp_record* record = state->first; record != NULL; record = record->next) {
    heddle_bp_make_condition(&record->changed);
    record->waiters = NULL;
    record->required = 0;
    record->reached = record->postponed = record->hits = record->timed_out = record->refused = record->overrun = 0;
    for (struct heddle_bp_place* place = record->reached_places; place != NULL; place = place->next)
      place->reached = place->eligible = 0;
  }
  state->waiting = 0;
  state->watched = 0;
  state->roles = heddle_bp_self_v1.role == 0 ? 0 : 1ULL << heddle_bp_self_v1.role % 64;
  heddle_bp_self_v1.tid = 0;
  memset(heddle_bp_self_v1.spent, 0, sizeof heddle_bp_self_v1.spent);
  heddle_bp_after_fork_in_parent();
}

#ifdef __cplusplus
}
#endif
#endif
