// Concurrent breakpoints: a named place in two (or more) threads where they meet, and the order in which they go on
// from there. A thread that comes to its place is held back for a while; if the others come to theirs meanwhile, the
// breakpoint is hit and the threads proceed in the stated order. That makes a bug that needs a rare schedule happen
// every time.
//
//   C++                                                  C
//   HEDDLE_BREAKPOINT("x", first().conflict(p));         struct heddle_breakpoint at = HEDDLE_CONFLICT("x", 0, p);
//   p->count = 0;                                        heddle_breakpoint_begin(&at);
//   // the other goes on at the end of this block        p->count = 0;
//                                                        heddle_breakpoint_done(&at);
//
// Nothing happens unless the environment has HEDDLE_BREAKPOINTS=on; with HEDDLE_NO_BREAKPOINTS defined nothing is
// compiled in. C11 (with POSIX.1-2008) and C++17; libc and pthreads only. All objects and libraries of a process share
// one state, C and C++ mixed; libraries that are loaded by dlopen do so if the program is linked with -rdynamic.
//
// Environment: HEDDLE_BREAKPOINTS=on; HEDDLE_BREAKPOINT_STATS=1 (stderr) or a file; HEDDLE_BREAKPOINT_STALL_MS, after
// how long a program in which nobody can go on is ended (1000; 0: never).
//
// After Park and Sen, "Concurrent Breakpoints", 2011. Beyond it: any number of threads, and the order holds until the
// guard of the one who goes first has ended.
#ifndef HEDDLE_BREAKPOINT_H
#define HEDDLE_BREAKPOINT_H

#include <stddef.h>

#define HEDDLE_BREAKPOINT_TIMEOUT_DEFAULT_MS 100
#define HEDDLE_BREAKPOINT_FOREVER_MS 0x7fffffffffffffffLL
#define HEDDLE_BREAKPOINT_UNBOUNDED (~0ULL)

// Roles: which thread a place is meant for. The first thread but main that comes to a place of a role has that role
// from then on, and no other; nobody else stops there.
#define HEDDLE_ROLE_ANYBODY 0U
#define HEDDLE_ROLE_MAIN 64U  // the main thread's; 1 to 63 are free to use

// How a process ends that the library ends.
#define HEDDLE_BREAKPOINT_EXIT_NOT_HIT 85  // a required breakpoint was never hit
#define HEDDLE_BREAKPOINT_EXIT_STALLED 86  // nobody can go on

#ifdef __cplusplus
extern "C" {
#endif

enum heddle_breakpoint_kind {
  HEDDLE_KIND_PLAIN,         // no joint predicate of its own
  HEDDLE_KIND_CONFLICT,      // two threads at one object
  HEDDLE_KIND_ATOMICITY,     // one between two places of another, at one object
  HEDDLE_KIND_NOTIFICATION,  // a notification before the wait that needs it
  HEDDLE_KIND_DEADLOCK       // each wants what the next one holds; nobody goes first
};

// What a thread says when it comes to a place. Make one with the macros below, change what should be different, and use
// it for one arrival.
struct heddle_breakpoint {
  const char* name;  // the same at all places of the breakpoint
  unsigned place;    // 0 goes first, 1 next ...
  unsigned places;   // how many threads meet
  enum heddle_breakpoint_kind kind;
  const void* object;           // HEDDLE_KIND_DEADLOCK: the lock that is held
  const void* wanted;           // HEDDLE_KIND_DEADLOCK: the lock that is about to be taken
  int (*local)(void* context);  // NULL: true
  // Asked of every place that has one, with all places in order; NULL: true. Called by the thread that arrives last;
  // must not block.
  int (*joint)(const struct heddle_breakpoint* self, const struct heddle_breakpoint* const* all, unsigned count);
  void* context;         // for `local` and `joint`
  const void* callable;  // for `joint` as C++ writes it
  long long timeout_ms;
  unsigned long long ignore_first;  // arrivals here that pass by, of those whose local predicate holds
  unsigned long long bound;         // hits after which all pass by
  unsigned long long tries;         // time-outs after which all pass by
  unsigned role;                    // HEDDLE_ROLE_ANYBODY, or only this thread's arrivals count
  int required;                     // never hit: the process ends with HEDDLE_BREAKPOINT_EXIT_NOT_HIT
  const char* file;
  int line;
  struct heddle_bp_meeting* meeting;  // the library's: between begin and done
};

// A lock that this thread has, for those that no pthread_mutex_t is behind and for asking by type. Lives on the stack.
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
