// Calls of libc's string functions are accesses to what they read and write, as exactly as it can be known before.
// RUN: %compile -O2 %s | %FileCheck
// RUN: %compile -O2 -D_FORTIFY_SOURCE=2 -DFORTIFIED %s | %FileCheck --check-prefix=FORTIFIED
#include <string.h>

// CHECK-LABEL: define internal {{.*}}@copy.heddle_armed(
// CHECK: call preserve_mostcc void @__heddle_string(ptr %[[FROM:[0-9]+]], ptr @__heddle_sites{{.*}}, ptr %[[FROM]])
// CHECK: call preserve_mostcc void @__heddle_string(ptr %[[TO:[0-9]+]], ptr {{.*}}@__heddle_sites{{.*}}, ptr %[[FROM]])
// CHECK: call {{.*}} @strcpy(ptr {{.*}}%[[TO]], ptr {{.*}}%[[FROM]])
void copy(char* to, const char* from) { strcpy(to, from); }

// CHECK-LABEL: define internal {{.*}}@append.heddle_armed(
// CHECK: call preserve_mostcc void @__heddle_string(
// CHECK: call preserve_mostcc void @__heddle_string(
// CHECK: %[[LENGTH:.*]] = call i64 @strlen(ptr %[[TO:[0-9]+]])
// CHECK: %[[END:.*]] = getelementptr i8, ptr %[[TO]], i64 %[[LENGTH]]
// CHECK: call preserve_mostcc void @__heddle_string(ptr %[[END]],
// CHECK: call {{.*}} @strcat(
void append(char* to, const char* from) { strcat(to, from); }

// CHECK-LABEL: define internal {{.*}}@compare.heddle_armed(
// CHECK: call i64 @strnlen(ptr %{{.*}}, i64 %
// CHECK: call i64 @llvm.umin.i64(
// CHECK: call preserve_mostcc { i64, i64, i64 } @__heddle_range(
// CHECK: call {{.*}} @strncmp(
int compare(const char* a, const char* b, unsigned long n) { return strncmp(a, b, n); }

// CHECK-LABEL: define internal {{.*}}@find.heddle_armed(
// CHECK: %[[FOUND:.*]] = call {{.*}}ptr @memchr(
// CHECK: select i1
// CHECK: call preserve_mostcc { i64, i64, i64 } @__heddle_range(
// CHECK: call {{.*}} @memchr(
const char* find(const char* text, unsigned long n) { return memchr(text, 'x', n); }

#ifdef FORTIFIED
char buffer[16];
// FORTIFIED-LABEL: define internal {{.*}}@copy_checked.heddle_armed(
// FORTIFIED: call preserve_mostcc void @__heddle_string(ptr @buffer,
// FORTIFIED: @__strcpy_chk(
void copy_checked(const char* from) { strcpy(buffer, from); }
#endif
