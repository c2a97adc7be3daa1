// In C, only <assert.h> shows whether NDEBUG was defined.
// RUN: %compile -O1 %s | %FileCheck --check-prefix=CHECKED
// RUN: %compile -O1 -std=c99 -pedantic-errors -Weverything -Werror -DNDEBUG %s | %FileCheck --check-prefix=OUT
// RUN: %compile -O1 -DDEFINE %s | %FileCheck --check-prefix=OUT
// RUN: %compile -O1 -DEMPTY %s | %FileCheck --check-prefix=EMPTY

// CHECKED: @heddle.unit = private constant {{.*}}c"c{{[^"]*}}ndebug_c.c\00", section "heddle_units"
// OUT: @heddle.unit = private constant {{.*}}c"n{{[^"]*}}ndebug_c.c\00", section "heddle_units"
// EMPTY-NOT: heddle.unit
#ifdef DEFINE
#define NDEBUG
#endif
#include <assert.h>
#ifndef EMPTY
int one(int number);
int one(int number) {
  assert(number == 1);
  return number;
}
#else
extern int declared;
#endif
