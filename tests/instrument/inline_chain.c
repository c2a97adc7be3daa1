// The row names the function that the line is written in, and the lines through which it was inlined.
// RUN: %compile -O2 %s | %FileCheck

// CHECK-DAG: @[[FILE:__heddle_text[.0-9]*]] = private unnamed_addr constant [{{[0-9]+}} x i8] c"{{[^"<]*}}inline_chain.c\00"
// CHECK-DAG: @[[FUNCTION:__heddle_text[.0-9]*]] = private unnamed_addr constant [10 x i8] c"innermost\00"
// CHECK-DAG: @[[CHAIN:__heddle_text[.0-9]*]] = private unnamed_addr constant [{{[0-9]+}} x i8] c"{{[^"<]*}}inline_chain.c:[[#@LINE+7]]<{{[^"<]*}}inline_chain.c:[[#@LINE+9]]\00"
// CHECK-DAG: @__heddle_sites = private global [1 x {{.*}}, i16 10, {{.*}}ptr @[[FILE]] to i64{{.*}}ptr @[[FUNCTION]] to i64{{.*}}ptr @[[CHAIN]] to i64{{.*}}, i32 [[#@LINE+3]], i32 [[#@LINE+2]], i8 1, i8 4, i16 0 }]

static inline int innermost(int* p) {
  return *p;
}

static inline int middle(int* p) { return innermost(p) + 1; }

int outermost(int* p) { return middle(p) * 2; }
