// No site for memory that no other thread reaches or no code writes: locals whose address stays here, constants, new
// memory that is not handed on.
// RUN: %compile -O0 %s | %FileCheck
// RUN: %compile -O2 %s | %FileCheck
#include <stdlib.h>

void take(int* p);

// CHECK-LABEL: define {{.*}} @use_local(
// CHECK-NOT: __heddle
// CHECK: ret i32
int use_local(int a) {
  volatile int local = a;
  return local;
}

static const int table[] = {3, 1, 4, 1, 5};
// CHECK-LABEL: define {{.*}} @use_constant(
// CHECK-NOT: __heddle
// CHECK: ret i32
int use_constant(int i) { return table[i]; }

// CHECK-LABEL: define {{.*}} @use_escaped(
// CHECK: load i8, ptr {{.*}}@__heddle_armed
// CHECK: ret i32
int use_escaped(void) {
  int local = 1;
  take(&local);
  return local;
}
