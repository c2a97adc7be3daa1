// A test body that is run under many schedules inside one process, which is many times quicker than a process for each:
//
//   for (heddle::Schedules schedules; schedules.next();) { ...threads are made, meet, and are joined... }
//
// Under `heddle test --in-process` and `heddle explore --in-process` the body is repeated, each time under another schedule;
// anywhere else it is run once. It must leave nothing behind: all its threads joined, its data its own. In a program that
// was not built with heddle-c++ this is a loop that runs once, and links with nothing.
#ifndef HEDDLE_SCHEDULES_H
#define HEDDLE_SCHEDULES_H

#ifdef __cplusplus
extern "C" {
#endif

// `iteration` is 0 before the first call and counts the schedules. `failed`: the last one has shown a failure that did not
// end the process. Not 0: run the body.
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
