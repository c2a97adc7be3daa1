// Atomic operations carry their memory order in the high half of the kind.
// RUN: %compile -O2 %s | %FileCheck

// 0x13 relaxed read, 0x23 acquire read, 0x34 release write, 0x45 acq_rel update, 0x55 seq_cst update
// CHECK: @__heddle_sites{{[.0-9]*}} = {{.*}}, i8 19, i8 4, i16 0 }
// CHECK: @__heddle_sites{{[.0-9]*}} = {{.*}}, i8 35, i8 8, i16 0 }
// CHECK: @__heddle_sites{{[.0-9]*}} = {{.*}}, i8 52, i8 1, i16 0 }
// CHECK: @__heddle_sites{{[.0-9]*}} = {{.*}}, i8 69, i8 4, i16 0 }
// CHECK: @__heddle_sites{{[.0-9]*}} = {{.*}}, i8 85, i8 4, i16 0 }
// CHECK: @__heddle_sites{{[.0-9]*}} = {{.*}}, i8 85, i8 16, i16 0 }

// CHECK-LABEL: define internal {{.*}}@relaxed_read.heddle_armed(
// CHECK: call preserve_mostcc { i64, i64, i64 } @__heddle_access(
// CHECK: load atomic i32
int relaxed_read(int* p) { return __atomic_load_n(p, __ATOMIC_RELAXED); }
long acquire_read(long* p) { return __atomic_load_n(p, __ATOMIC_ACQUIRE); }
// CHECK-LABEL: define internal {{.*}}@release_write.heddle_armed(
// CHECK: call preserve_mostcc { i64, i64, i64 } @__heddle_write(ptr %{{.*}}, ptr @__heddle_sites{{.*}}, i64 %
// CHECK: store atomic i8
void release_write(char* p, char v) { __atomic_store_n(p, v, __ATOMIC_RELEASE); }
// CHECK-LABEL: define internal {{.*}}@update.heddle_armed(
// CHECK: call preserve_mostcc { i64, i64, i64 } @__heddle_access(
// CHECK: atomicrmw add
int update(int* p) { return __atomic_fetch_add(p, 1, __ATOMIC_ACQ_REL); }
// CHECK-LABEL: define internal {{.*}}@exchange.heddle_armed(
// CHECK: call preserve_mostcc { i64, i64, i64 } @__heddle_access(
// CHECK: cmpxchg
int exchange(int* p, int* old) {
  return __atomic_compare_exchange_n(p, old, 7, 0, __ATOMIC_SEQ_CST, __ATOMIC_RELAXED);
}
// CHECK-LABEL: define internal {{.*}}@wide_exchange.heddle_armed(
// CHECK: call preserve_mostcc { i64, i64, i64 } @__heddle_access(
// CHECK: cmpxchg ptr {{.*}} i128
_Bool wide_exchange(__int128* p, __int128 old, __int128 new) { return __sync_bool_compare_and_swap(p, old, new); }
