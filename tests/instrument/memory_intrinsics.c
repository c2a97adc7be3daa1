// Copies read one range and write another; constants and private buffers take no part.
// RUN: %compile -O2 %s | %FileCheck
// RUN: %compile -O0 %s | %FileCheck
#include <string.h>

// CHECK-LABEL: define internal {{.*}}@copy.heddle_armed(
// CHECK: call preserve_mostcc { i64, i64, i64 } @__heddle_range(ptr %[[SOURCE:[0-9]+]], ptr @__heddle_sites{{.*}}, i64 %[[SIZE:[0-9]+]])
// CHECK: call preserve_mostcc { i64, i64, i64 } @__heddle_range(ptr %[[TARGET:[0-9]+]], ptr {{.*}}@__heddle_sites{{.*}}, i64 %[[SIZE]])
// CHECK: call void @llvm.memcpy.p0.p0.i64(ptr {{.*}}%[[TARGET]], ptr {{.*}}%[[SOURCE]], i64 %[[SIZE]]
void copy(void* to, const void* from, unsigned long n) { memcpy(to, from, n); }

// CHECK-LABEL: define internal {{.*}}@clear.heddle_armed(
// CHECK: call preserve_mostcc { i64, i64, i64 } @__heddle_range(
// CHECK-NOT: __heddle_range
// CHECK: call void @llvm.memset
void clear(void* p, unsigned long n) { memset(p, 0, n); }

// CHECK-LABEL: define internal {{.*}}@copy_constant.heddle_armed(
// CHECK: call preserve_mostcc { i64, i64, i64 } @__heddle_range(
// CHECK-NOT: __heddle_range
// CHECK: call void @llvm.memcpy
void copy_constant(char* to) {
  static const char text[64] = "sixty-four bytes";
  memcpy(to, text, sizeof text);
}
