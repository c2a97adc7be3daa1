// Places in C. `place`: 0 goes first.
#ifndef HEDDLE_BREAKPOINT_PLACES_H
#define HEDDLE_BREAKPOINT_PLACES_H

static inline __attribute__((unused)) struct heddle_breakpoint heddle_bp_make(const char* name, unsigned place,
                                                                              enum heddle_breakpoint_kind kind,
                                                                              const void* object, const void* wanted,
                                                                              const char* file, int line) {
  const struct heddle_breakpoint made = {name,
                                         place,
                                         2,
                                         kind,
                                         object,
                                         wanted,
                                         NULL,
                                         NULL,
                                         NULL,
                                         NULL,
                                         HEDDLE_BREAKPOINT_TIMEOUT_DEFAULT_MS,
                                         0,
                                         HEDDLE_BREAKPOINT_UNBOUNDED,
                                         HEDDLE_BREAKPOINT_UNBOUNDED,
                                         HEDDLE_ROLE_ANYBODY,
                                         0,
                                         file,
                                         line,
                                         NULL};
  return made;
}

// Any two threads (set .places for more), unless .local or .joint says otherwise.
#define HEDDLE_PLACE(name, place) heddle_bp_make(name, place, HEDDLE_KIND_PLAIN, NULL, NULL, __FILE__, __LINE__)
// Both are about to touch `object`.
#define HEDDLE_CONFLICT(name, place, object) \
  heddle_bp_make(name, place, HEDDLE_KIND_CONFLICT, object, NULL, __FILE__, __LINE__)
// The victim is between two accesses that belong together; the intruder goes first and the victim after it.
#define HEDDLE_ATOMICITY_INTRUDER(name, object) \
  heddle_bp_make(name, 0, HEDDLE_KIND_ATOMICITY, object, NULL, __FILE__, __LINE__)
#define HEDDLE_ATOMICITY_VICTIM(name, object) \
  heddle_bp_make(name, 1, HEDDLE_KIND_ATOMICITY, object, NULL, __FILE__, __LINE__)
// Who notifies goes first; who was about to wait comes too late.
#define HEDDLE_MISSED_NOTIFIER(name, object) \
  heddle_bp_make(name, 0, HEDDLE_KIND_NOTIFICATION, object, NULL, __FILE__, __LINE__)
#define HEDDLE_MISSED_WAITER(name, object) \
  heddle_bp_make(name, 1, HEDDLE_KIND_NOTIFICATION, object, NULL, __FILE__, __LINE__)
// It has `held` and is about to take `wanted`.
#define HEDDLE_DEADLOCK(name, place, held, wanted) \
  heddle_bp_make(name, place, HEDDLE_KIND_DEADLOCK, held, wanted, __FILE__, __LINE__)

#endif
