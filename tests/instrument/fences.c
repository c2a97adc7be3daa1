// A fence between threads is a site without an address; a fence against signal handlers is not a site.
// RUN: %compile -O2 %s | %FileCheck

// CHECK: @__heddle_sites = private global [1 x {{.*}}, i8 86, i8 0, i16 0 }]
// CHECK-NOT: @__heddle_sites.

// CHECK-LABEL: define internal {{.*}}@full_fence.heddle_armed(
// CHECK: call preserve_mostcc { i64, i64, i64 } @__heddle_access(ptr null, ptr @__heddle_sites)
// CHECK: fence seq_cst
void full_fence(void) { __atomic_thread_fence(__ATOMIC_SEQ_CST); }

void signal_fence(void) { __atomic_signal_fence(__ATOMIC_SEQ_CST); }
