// HEDDLE_NO_BREAKPOINTS: the same names with empty functions.
#ifndef HEDDLE_BREAKPOINT_ABSENT_H
#define HEDDLE_BREAKPOINT_ABSENT_H

#include <pthread.h>
#include <stdlib.h>

#define HEDDLE_BP_OUTLINE
#ifdef __cplusplus
#define HEDDLE_BP_FUNCTION inline
namespace heddle_breakpoints_absent {  // may be linked with objects that have breakpoints
#else
#define HEDDLE_BP_FUNCTION static inline __attribute__((unused))
#endif

HEDDLE_BP_FUNCTION int heddle_breakpoints_on(void) { return 0; }
HEDDLE_BP_FUNCTION int heddle_breakpoint_reach(struct heddle_breakpoint* at) { return (void)at, 0; }
HEDDLE_BP_FUNCTION int heddle_breakpoint_begin(struct heddle_breakpoint* at) { return (void)at, 0; }
HEDDLE_BP_FUNCTION void heddle_breakpoint_done(struct heddle_breakpoint* at) { (void)at; }
HEDDLE_BP_FUNCTION struct heddle_breakpoint* heddle_bp_new_place(void) {
  return (struct heddle_breakpoint*)malloc(sizeof(struct heddle_breakpoint));
}
HEDDLE_BP_FUNCTION void heddle_bp_delete_place(struct heddle_breakpoint* place) { free(place); }
HEDDLE_BP_FUNCTION void heddle_bp_end_guard(struct heddle_bp_meeting* meeting, unsigned place) {
  (void)meeting, (void)place;
}
HEDDLE_BP_FUNCTION void heddle_breakpoint_require(const char* name) { (void)name; }
HEDDLE_BP_FUNCTION void heddle_lock_taken(struct heddle_held_lock* held, const void* lock, const char* type) {
  (void)held, (void)lock, (void)type;
}
HEDDLE_BP_FUNCTION void heddle_lock_released(const struct heddle_held_lock* held) { (void)held; }
HEDDLE_BP_FUNCTION int heddle_lock_is_held(const void* lock) { return (void)lock, 0; }
HEDDLE_BP_FUNCTION int heddle_lock_type_is_held(const char* type) { return (void)type, 0; }
HEDDLE_BP_FUNCTION int heddle_mutex_is_held(const pthread_mutex_t* mutex) { return (void)mutex, 0; }

#ifdef __cplusplus
}
using namespace heddle_breakpoints_absent;
#endif
#endif
