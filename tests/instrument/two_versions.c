// The function keeps its code as the optimiser left it. At entry one byte, the one after those of its sites, sends it
// to the version with hooks.
// RUN: %compile -O2 %s | %FileCheck
// RUN: %compile -O0 %s | %FileCheck

// CHECK-LABEL: define {{.*}} i32 @sum(
// CHECK: %[[ARMED:.*]] = load i8, ptr getelementptr inbounds ([[[COUNT:[0-9]+]] x i8], ptr @__heddle_armed, i64 0, i64
// CHECK: %[[ANY:.*]] = icmp ne i8 %[[ARMED]], 0
// CHECK: br i1 %[[ANY]], label %[[GO:.*]], label %{{.*}}, !prof
// CHECK-NOT: __heddle_access
// CHECK: [[GO]]:
// CHECK: %[[RESULT:.*]] = musttail call i32 @sum.heddle_armed(ptr {{.*}}, i32 {{.*}})
// CHECK-NEXT: ret i32 %[[RESULT]]
// CHECK: define internal {{.*}}i32 @sum.heddle_armed({{.*}} !section_prefix
// CHECK: call preserve_mostcc { i64, i64, i64 } @__heddle_access(
int sum(int* p, int n) {
  int total = 0;
  for (int i = 0; i < n; ++i) total += p[i];
  return total;
}
