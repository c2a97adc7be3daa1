// Memory that a function allocates and does not hand on is as private as a local variable.
// RUN: %compile -O2 %s | %FileCheck
#include <stdlib.h>

// CHECK-LABEL: define {{.*}} @use_scratch(
// CHECK-NOT: __heddle
// CHECK: ret i32
int use_scratch(int n, int i) {
  volatile int* scratch = malloc(n * sizeof(int));
  scratch[i] = n;
  int result = scratch[i];
  free((void*)scratch);
  return result;
}
