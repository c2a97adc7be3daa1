// What cannot be called by a tail call, or must not exist twice, tests a byte at every access instead, and says so.
// RUN: %compile -O2 %s | %FileCheck
// RUN: %compile -O2 %s -Rpass-missed=heddle 2>&1 >/dev/null | %FileCheck --check-prefix=REMARK
#include <setjmp.h>
#include <stdarg.h>

// CHECK-NOT: .heddle_armed(
struct Large { long words[8]; };

// CHECK-LABEL: define {{.*}} @variadic(
// CHECK: @__heddle_access
// REMARK: because it takes variable arguments
int variadic(int* p, ...) { return *p; }

// CHECK-LABEL: define {{.*}} @by_value(
// REMARK: because an argument is passed by value in memory
long by_value(struct Large large, int* p) { return large.words[1] + *p; }

// CHECK-LABEL: define {{.*}} @jumps(
// REMARK: because it calls a function that returns twice
int jumps(jmp_buf* buffer, int* p) { return _setjmp(*buffer) + *p; }

// CHECK-LABEL: define {{.*}} @computed(
// REMARK: because the address of a label is taken
int computed(int* p) {
  static void* labels[] = {&&one, &&two};
  goto* labels[*p & 1];
one:
  return 1;
two:
  return 2;
}

// CHECK-LABEL: define {{.*}} @assembly(
// REMARK: because it contains code that must exist once
int assembly(int* p) {
  __asm__ volatile("defined_once: nop");
  return *p;
}
