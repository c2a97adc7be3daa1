// For programs that notice themselves that a result is wrong.
#ifndef HEDDLE_FAILURE_H
#define HEDDLE_FAILURE_H

#include <stdio.h>
#include <stdlib.h>

#ifdef __cplusplus
extern "C" {
#endif

// Says what is wrong and ends the program as a failed assertion does, also where NDEBUG is defined: under Heddle it is the
// run's failure, and a production build leaves a core that `heddle core` can begin with. Inlined, so that the place which
// is reported is the caller's.
__attribute__((always_inline, noreturn, unused)) static inline void heddle_report_failure(const char* what) {
  fprintf(stderr, "heddle_report_failure: %s\n", what);
  abort();
}

#ifdef __cplusplus
}
#endif

#endif
