// Passing a struct by value reads it at the call.
// RUN: %compile -O2 %s | %FileCheck
struct Large { long words[8]; };
struct Large shared;
long callee(struct Large);

// CHECK-LABEL: define internal {{.*}}@caller.heddle_armed(
// CHECK: call preserve_mostcc { i64, i64, i64 } @__heddle_range(ptr @shared, ptr @__heddle_sites, i64 64)
// CHECK: call i64 @callee(ptr {{.*}} byval(%struct.Large) {{.*}} @shared)
long caller(void) { return callee(shared); }
