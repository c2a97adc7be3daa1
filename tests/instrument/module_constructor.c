// Every object brings the pair that registers the sites; the linker keeps one per executable and library. No sites, no
// pair.
// RUN: %compile -O2 %s | %FileCheck
// RUN: %compile -O2 -DEMPTY %s | %FileCheck --check-prefix=EMPTY

// CHECK: $__heddle_module_begin = comdat any
// CHECK: @__start_heddle_sites = extern_weak hidden global i8
// CHECK: @llvm.global_ctors = appending global {{.*}} { i32 1, ptr @__heddle_module_begin, ptr @__heddle_module_begin }
// CHECK: @llvm.global_dtors = appending global {{.*}} { i32 1, ptr @__heddle_module_end, ptr @__heddle_module_end }
// CHECK: define linkonce_odr hidden void @__heddle_module_begin() {{.*}} comdat
// CHECK: call void @__heddle_register_module(ptr @__start_heddle_sites, ptr @__stop_heddle_sites, ptr @__start_heddle_armed, ptr @__stop_heddle_armed, i32 2)
// CHECK: define linkonce_odr hidden void @__heddle_module_end() {{.*}} comdat
// CHECK: call void @__heddle_unregister_module(ptr @__start_heddle_sites)
// EMPTY-NOT: __heddle
#ifndef EMPTY
int read_shared(int* p) { return *p; }
#endif
int one(void) { return 1; }
