// Rows and bytes live and die with their function: in its COMDAT group, and associated with it for --gc-sections.
// RUN: %compile -O2 %s | %FileCheck

// CHECK: @__heddle_sites{{.*}} = private global [{{.*}}], section "heddle_sites", {{.*}}comdat($_Z4bumpIiEiPT_), align 8, !associated ![[BUMP:[0-9]+]]
// CHECK: @__heddle_armed{{.*}} = private global [{{.*}}] zeroinitializer, section "heddle_armed", {{.*}}comdat($_Z4bumpIiEiPT_), align 1, !associated ![[BUMP]]
// CHECK: @llvm.compiler.used = {{.*}}@__heddle_sites

// CHECK: define {{.*}} @_Z4bumpIiEiPT_({{.*}} comdat
// CHECK: define internal {{.*}} @_Z4bumpIiEiPT_.heddle_armed({{.*}} comdat($_Z4bumpIiEiPT_)
// CHECK: ![[BUMP]] = {{.*}}!{ptr @_Z4bumpIiEiPT_}
template <typename T>
__attribute__((noinline)) int bump(T* p) {
  return ++*p;
}
int use(int* p) { return bump(p) + bump(p); }
