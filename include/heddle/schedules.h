// A test body that runs under many schedules in one process, which is many times faster than one process per schedule:
//
//   for (heddle::Schedules schedules; schedules.next();) { ...threads are created, interact, and are joined... }
//
// Under `heddle test --in-process` and `heddle explore --in-process` the body is repeated under a different schedule
// each time; otherwise it runs once. REQUIRES: the body joins all its threads and changes no data that outlives it. In
// a program that was not built with heddle-c++ this is a loop that runs once and needs no library.
#ifndef HEDDLE_SCHEDULES_H
#define HEDDLE_SCHEDULES_H

#ifdef __cplusplus
extern "C" {
#endif

// `iteration` is 0 before the first call and counts the schedules. `failed`: under the last schedule there was a
// failure that did not end the process. Nonzero: run the body.
__attribute__((weak)) int heddle_next_schedule(unsigned long* iteration, int failed);

static inline int heddle_schedules_next(unsigned long* iteration, int failed) {
  return heddle_next_schedule ? heddle_next_schedule(iteration, failed) : (*iteration)++ == 0;
}

#ifdef __cplusplus
}

namespace heddle {

class Schedules {
 public:
  bool next(bool failed = false) { return heddle_schedules_next(&iteration_, failed ? 1 : 0) != 0; }

 private:
  unsigned long iteration_ = 0;
};

}  // namespace heddle
#endif

#endif
