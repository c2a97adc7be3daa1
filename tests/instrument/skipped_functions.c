// Functions that ask not to be instrumented, or have no body of their own, are not changed.
// RUN: %compile -O2 %s | %FileCheck

// CHECK-NOT: @__heddle
__attribute__((disable_sanitizer_instrumentation)) int opted_out(int* p) { return *p; }
__attribute__((naked)) void bare(void) { __asm__("ret"); }
extern inline __attribute__((gnu_inline)) int elsewhere(int* p) { return *p; }
int no_access(int a) { return a + 1; }
