/* One side of the breakpoint, in C, in a shared library. */
#include <heddle/breakpoint.h>

int first_side(int* value);

int first_side(int* value) {
  struct heddle_breakpoint at = HEDDLE_CONFLICT("mixed", 0, value);
  at.timeout_ms = 20000;
  const int hit = heddle_breakpoint_begin(&at);
  *value = 1;
  heddle_breakpoint_done(&at);
  return hit;
}
