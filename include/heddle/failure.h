// For programs that detect a wrong result themselves.
#ifndef HEDDLE_FAILURE_H
#define HEDDLE_FAILURE_H

#include <stdio.h>
#include <stdlib.h>

#ifdef __cplusplus
extern "C" {
#endif

// Prints the problem and aborts the program like a failed assertion, also if NDEBUG is defined. Under Heddle this is
// the failure of the run; in a production build it leaves a core for `heddle core`. The function is inlined, so that
// the reported position is the caller's.
__attribute__((always_inline, noreturn, unused)) static inline void heddle_report_failure(const char* what) {
  fprintf(stderr, "heddle_report_failure: %s\n", what);
  abort();
}

#ifdef __cplusplus
}
#endif

#endif
