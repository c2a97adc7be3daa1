// What does not fit into 64 bits is a range; what does is handed over with its bits unchanged.
// RUN: %compile -O2 %s | %FileCheck
typedef float Vector __attribute__((vector_size(16)));

// CHECK-LABEL: define internal {{.*}}@store_double.heddle_armed(
// CHECK: %[[BITS:.*]] = bitcast double %{{.*}} to i64
// CHECK: call preserve_mostcc { i64, i64, i64 } @__heddle_write({{.*}}, i64 %[[BITS]])
void store_double(double* p, double v) { *p = v; }

// CHECK-LABEL: define internal {{.*}}@store_pointer.heddle_armed(
// CHECK: %[[NUMBER:.*]] = ptrtoint ptr %{{.*}} to i64
// CHECK: call preserve_mostcc { i64, i64, i64 } @__heddle_write({{.*}}, i64 %[[NUMBER]])
void store_pointer(void** p, void* v) { *p = v; }

// CHECK-LABEL: define internal {{.*}}@store_vector.heddle_armed(
// CHECK: call preserve_mostcc { i64, i64, i64 } @__heddle_range({{.*}}, i64 16)
// CHECK: store <4 x float>
void store_vector(Vector* p, Vector v) { *p = v; }

// CHECK-LABEL: @store_int128.heddle_armed(
// CHECK: call preserve_mostcc { i64, i64, i64 } @__heddle_range({{.*}}, i64 16)
void store_int128(__int128* p, __int128 v) { *p = v; }

// CHECK-LABEL: define internal {{.*}}@load_long_double.heddle_armed(
// CHECK: call preserve_mostcc { i64, i64, i64 } @__heddle_range({{.*}}, i64 10)
long double load_long_double(long double* p) { return *p; }
