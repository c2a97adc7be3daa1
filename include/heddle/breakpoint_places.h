// Places in C. `place`: 0 resumes first.
#ifndef HEDDLE_BREAKPOINT_PLACES_H
#define HEDDLE_BREAKPOINT_PLACES_H

static inline __attribute__((unused)) void heddle_bp_fill(struct heddle_breakpoint* at, const char* name,
                                                          unsigned place, enum heddle_breakpoint_kind kind,
                                                          const void* object, const void* wanted, const char* file,
                                                          int line) {
  at->name = name;
  at->place = place;
  at->places = 2;
  at->kind = kind;
  at->object = object;
  at->wanted = wanted;
  at->local = NULL;
  at->joint = NULL;
  at->context = NULL;
  at->callable = NULL;
  at->timeout_ms = HEDDLE_BREAKPOINT_TIMEOUT_DEFAULT_MS;
  at->ignore_first = 0;
  at->bound = HEDDLE_BREAKPOINT_UNBOUNDED;
  at->tries = HEDDLE_BREAKPOINT_UNBOUNDED;
  at->role = HEDDLE_ROLE_ANYBODY;
  at->required = 0;
  at->file = file;
  at->line = line;
  at->meeting = NULL;
}

static inline __attribute__((unused)) struct heddle_breakpoint heddle_bp_make(const char* name, unsigned place,
                                                                              enum heddle_breakpoint_kind kind,
                                                                              const void* object, const void* wanted,
                                                                              const char* file, int line) {
  struct heddle_breakpoint made;
  heddle_bp_fill(&made, name, place, kind, object, wanted, file, line);
  return made;
}

// Any two threads (set .places for more), unless .local or .joint says otherwise.
#define HEDDLE_PLACE(name, place) heddle_bp_make(name, place, HEDDLE_KIND_PLAIN, NULL, NULL, __FILE__, __LINE__)
// Both threads are about to access `object`.
#define HEDDLE_CONFLICT(name, place, object) \
  heddle_bp_make(name, place, HEDDLE_KIND_CONFLICT, object, NULL, __FILE__, __LINE__)
// The victim is between two accesses that should be atomic; the intruder runs first, then the victim.
#define HEDDLE_ATOMICITY_INTRUDER(name, object) \
  heddle_bp_make(name, 0, HEDDLE_KIND_ATOMICITY, object, NULL, __FILE__, __LINE__)
#define HEDDLE_ATOMICITY_VICTIM(name, object) \
  heddle_bp_make(name, 1, HEDDLE_KIND_ATOMICITY, object, NULL, __FILE__, __LINE__)
// The notifier runs first; the waiter is about to wait and misses the notification.
#define HEDDLE_MISSED_NOTIFIER(name, object) \
  heddle_bp_make(name, 0, HEDDLE_KIND_NOTIFICATION, object, NULL, __FILE__, __LINE__)
#define HEDDLE_MISSED_WAITER(name, object) \
  heddle_bp_make(name, 1, HEDDLE_KIND_NOTIFICATION, object, NULL, __FILE__, __LINE__)
// The thread holds `held` and is about to take `wanted`.
#define HEDDLE_DEADLOCK(name, place, held, wanted) \
  heddle_bp_make(name, place, HEDDLE_KIND_DEADLOCK, held, wanted, __FILE__, __LINE__)

#endif
