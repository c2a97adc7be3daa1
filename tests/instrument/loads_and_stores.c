// Before every load and store of memory that may be shared: test the site's byte, call the hook if it is set. Kinds in
// rows: 1 read, 2 write; then the size.
// RUN: %compile -O2 %s | %FileCheck
// RUN: %compile -O2 %s | %FileCheck --check-prefix=HOOK
// RUN: %compile -O0 %s | %FileCheck

// CHECK: @__heddle_sites = private global [1 x {{.*}}, i32 [[#@LINE+7]], i32 [[#@LINE+7]], i8 1, i8 4, i16 0 }], section "heddle_sites", {{.*}}align 8, !associated
// CHECK: @__heddle_armed = private global [2 x i8] zeroinitializer, section "heddle_armed", {{.*}}align 1, !associated
// CHECK: @[[WRITES:__heddle_sites[.0-9]+]] = private global [1 x {{.*}}, i32 [[#@LINE+14]], i32 [[#@LINE+14]], i8 2, i8 2, i16 0 }]

// CHECK-LABEL: define internal {{.*}}@read_shared.heddle_armed(
// CHECK: %[[ARMED:.*]] = load i8, ptr @__heddle_armed
// CHECK: icmp ne i8 %[[ARMED]], 0
int read_shared(int* p) { return *p; }
// CHECK: call preserve_mostcc { i64, i64, i64 } @__heddle_access(ptr {{.*}}, ptr @__heddle_sites)
// CHECK: load i32
// CHECK: ret

// CHECK-LABEL: define internal {{.*}}@write_shared.heddle_armed(
// CHECK: %[[WIDE:.*]] = zext i16 %[[VALUE:.*]] to i64
// CHECK: call preserve_mostcc { i64, i64, i64 } @__heddle_write(ptr {{.*}}, ptr @[[WRITES]], i64 %[[WIDE]])
// CHECK: store i16 %[[VALUE]]
void write_shared(short* p, short v) { *p = v; }

// HOOK: declare preserve_mostcc { i64, i64, i64 } @__heddle_access(ptr, ptr) #[[HOOK:[0-9]+]]
// HOOK: attributes #[[HOOK]] = { {{.*}}nonlazybind
