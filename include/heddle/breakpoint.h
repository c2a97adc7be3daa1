// Concurrent breakpoints: a name for places in two or more threads at which the threads meet, and the order in which
// they resume. A thread that reaches its place is postponed for a limited time. If the other threads reach their places
// in that time, the breakpoint is hit and the threads resume in the stated order. A bug that needs a rare schedule then
// happens in every run.
//
//   C++                                                  C
//   HEDDLE_BREAKPOINT("x", first().conflict(p));         struct heddle_breakpoint at = HEDDLE_CONFLICT("x", 0, p);
//   p->count = 0;                                        heddle_breakpoint_begin(&at);
//   // the other resumes at the end of this block        p->count = 0;
//                                                        heddle_breakpoint_done(&at);
//
// Breakpoints are off unless the environment has HEDDLE_BREAKPOINTS=on; with HEDDLE_NO_BREAKPOINTS defined no code is
// generated. C11 (with POSIX.1-2008) and C++17; libc and pthreads only. All objects and libraries of a process share
// one state, in C and C++; libraries that are loaded by dlopen share it if the program is linked with -rdynamic.
//
// Environment: HEDDLE_BREAKPOINTS=on; HEDDLE_BREAKPOINT_STATS=1 (stderr) or a file; HEDDLE_BREAKPOINT_STALL_MS, the
// time after which a program in which every thread waits is terminated (1000; 0: never).
//
// After Park and Sen, "Concurrent Breakpoints", 2011. Extensions: any number of threads, and the order holds until the
// guard of the first thread has ended.
#ifndef HEDDLE_BREAKPOINT_H
#define HEDDLE_BREAKPOINT_H

#include <stddef.h>

#define HEDDLE_BREAKPOINT_TIMEOUT_DEFAULT_MS 100
#define HEDDLE_BREAKPOINT_FOREVER_MS 0x7fffffffffffffffLL
#define HEDDLE_BREAKPOINT_UNBOUNDED (~0ULL)

// Roles restrict a place to one thread. The first thread other than main that reaches a place of a role takes that
// role, and keeps it as its only one; other threads pass the place.
#define HEDDLE_ROLE_ANYBODY 0U
#define HEDDLE_ROLE_MAIN 64U  // the main thread's; 1 to 63 are free to use

// Exit codes of a process that the library terminates.
#define HEDDLE_BREAKPOINT_EXIT_NOT_HIT 85  // a required breakpoint was never hit
#define HEDDLE_BREAKPOINT_EXIT_STALLED 86  // every thread waits

#ifdef __cplusplus
extern "C" {
#endif

enum heddle_breakpoint_kind {
  HEDDLE_KIND_PLAIN,         // no built-in joint predicate
  HEDDLE_KIND_CONFLICT,      // two threads access the same object
  HEDDLE_KIND_ATOMICITY,     // one thread runs between two accesses of another, to the same object
  HEDDLE_KIND_NOTIFICATION,  // a notification precedes the wait that needs it
  HEDDLE_KIND_DEADLOCK       // each thread wants the lock that the next one holds; all resume together
};

// The arrival of a thread at a place. Make it with the macros below, change its members, and use it for one arrival.
struct heddle_breakpoint {
  const char* name;  // the same at all places of the breakpoint
  unsigned place;    // 0 resumes first, 1 next ...
  unsigned places;   // the number of threads that meet
  enum heddle_breakpoint_kind kind;
  const void* object;           // HEDDLE_KIND_DEADLOCK: the lock that is held
  const void* wanted;           // HEDDLE_KIND_DEADLOCK: the lock that is about to be taken
  int (*local)(void* context);  // NULL: true
  // Evaluated for every place that has one, with all places in order; NULL: true. The thread that arrives last calls
  // it; it must not block.
  int (*joint)(const struct heddle_breakpoint* self, const struct heddle_breakpoint* const* all, unsigned count);
  void* context;         // for `local` and `joint`
  const void* callable;  // for `joint`: the predicate of heddle::Breakpoint
  long long timeout_ms;
  unsigned long long ignore_first;  // arrivals with a true local predicate that pass before the first one stops
  unsigned long long bound;         // hits after which all arrivals pass
  unsigned long long tries;         // time-outs after which all arrivals pass
  unsigned role;                    // HEDDLE_ROLE_ANYBODY, or the role that a thread needs to stop here
  int required;                     // if never hit, the process exits with HEDDLE_BREAKPOINT_EXIT_NOT_HIT
  const char* file;
  int line;
  struct heddle_bp_meeting* meeting;  // set by the library between begin and done
};

// A lock that the thread holds, for locks that are not a pthread_mutex_t and for queries by type. Lives on the stack.
struct heddle_held_lock {
  const void* lock;
  const char* type;
  struct heddle_held_lock* next;
};

#ifdef __cplusplus
}
#endif

#ifndef HEDDLE_NO_BREAKPOINTS
#include "breakpoint_locks.h"
#include "breakpoint_meeting.h"
#else
#include "breakpoint_absent.h"
#endif
#include "breakpoint_places.h"
#ifdef __cplusplus
#include "breakpoint_builder.h"
#endif

#endif
