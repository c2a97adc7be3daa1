// Counters of coverage and profile builds are written by every thread on purpose; they get no site.
// RUN: %compile -O1 -fprofile-instr-generate -fcoverage-mapping %s | %FileCheck
// RUN: %compile -O0 -fprofile-instr-generate -fcoverage-mapping %s | %FileCheck
// RUN: %compile -O1 -fprofile-generate %s | %FileCheck
// RUN: %compile -O1 --coverage -fprofile-dir=%t %s | %FileCheck

// CHECK: @__heddle_sites = private global [1 x
// CHECK-NOT: @__heddle_sites.
int read_shared(int* p, int n) { return n ? *p : n; }
