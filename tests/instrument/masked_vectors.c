// A masked vector access touches only its active lanes, one hook each.
// RUN: %compile -O3 -mavx2 -fno-unroll-loops %s | %FileCheck

// CHECK-LABEL: define internal {{.*}}@add_positive.heddle_armed(
// CHECK: %[[ACTIVE:.*]] = extractelement <8 x i1> %{{.*}}, i64 0
// CHECK: br i1 %[[ACTIVE]]
// CHECK: call preserve_mostcc { i64, i64, i64 } @__heddle_access(
// CHECK: call <8 x i32> @llvm.masked.load.v8i32.p0
void add_positive(int* restrict sum, const int* restrict a, const int* restrict condition, int n) {
  for (int i = 0; i < n; ++i)
    if (condition[i] > 0) sum[i] = a[i] + 1;
}
