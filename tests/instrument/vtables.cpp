// The vtable pointer of an object is data on which threads can race; the table behind it is constant.
// RUN: %compile -O2 %s | %FileCheck
struct Shape {
  virtual int area();
};

// CHECK-LABEL: define internal {{.*}}@measure.heddle_armed(
// CHECK: call preserve_mostcc { i64, i64, i64 } @__heddle_access(
// CHECK: load ptr, ptr %0
// CHECK-NOT: __heddle
// CHECK: }
extern "C" int measure(Shape* shape) { return shape->area(); }
