// %s reads a string; sprintf writes as many bytes as formatting without a buffer returns.
// RUN: %compile -O2 %s | %FileCheck
#include <stdarg.h>
#include <stdio.h>

// CHECK-LABEL: define internal {{.*}}@print.heddle_armed(
// CHECK: %[[PRESENT:.*]] = icmp ne ptr %[[TEXT:.*]], null
// CHECK: br i1 %[[PRESENT]]
// CHECK: call preserve_mostcc void @__heddle_string(ptr %[[TEXT]], ptr @__heddle_sites{{.*}}, ptr %[[TEXT]])
// CHECK: call preserve_mostcc { i64, i64, i64 } @__heddle_range(
// CHECK: call {{.*}} @printf(
void print(const char* text, int n, const char* prefix) { printf("%s %d %.3s", text, n, prefix); }

// CHECK-LABEL: define internal {{.*}}@format.heddle_armed(
// CHECK: %[[LENGTH:.*]] = call i32 (ptr, i64, ptr, ...) @snprintf(ptr null, i64 0, ptr @{{.*}}, i32 %
// CHECK: %[[WIDE:.*]] = sext i32 %[[LENGTH]] to i64
// CHECK: %[[SIZE:.*]] = add i64 %[[WIDE]], 1
// CHECK: %[[WRITTEN:.*]] = call i64 @llvm.umin.i64(i64 %[[SIZE]], i64 %{{.*}})
// CHECK: call preserve_mostcc { i64, i64, i64 } @__heddle_range({{.*}}, i64 %[[WRITTEN]])
// CHECK: call {{.*}} @snprintf(ptr {{.*}}%
int format(char* to, unsigned long n, int value) { return snprintf(to, n, "<%d>", value); }

// Of a va_list or %n only the first byte is certain.
// CHECK-LABEL: define internal {{.*}}@format_list.heddle_armed(
// CHECK-NOT: snprintf(ptr null
// CHECK: call preserve_mostcc { i64, i64, i64 } @__heddle_range({{.*}}, i64 1)
// CHECK: call {{.*}} @vsprintf(
int format_list(char* to, va_list* list) { return vsprintf(to, "%d", *list); }
// CHECK-LABEL: define internal {{.*}}@format_and_count.heddle_armed(
// CHECK-NOT: snprintf(ptr null
// CHECK: call preserve_mostcc { i64, i64, i64 } @__heddle_range({{.*}}, i64 1)
int format_and_count(char* to, int* count) { return sprintf(to, "%d%n", 5, count); }
