// Bodies of loops that count and that only their condition ends ask whether an iteration is left out; others do not.
// RUN: HEDDLE_HOOKS=iterations %compile -O0 %s | %FileCheck
// RUN: HEDDLE_HOOKS=iterations %compile -O1 %s | %FileCheck
// RUN: %compile -O1 %s | %FileCheck --check-prefix=DEFAULT
// DEFAULT-NOT: __heddle_iteration

void use(int);
void abort(void) __attribute__((noreturn));

// CHECK: c"iterations.c:[[# @LINE + 4]] counts\00", section "heddle_loops"
// CHECK-LABEL: define {{.*}}@counts(
// CHECK: call {{.*}}i1 @__heddle_iteration(i64
void counts(int limit) {
  for (int i = 0; i < limit; ++i) use(i);
}

// CHECK-LABEL: define {{.*}}@counts_down_and_may_abort(
// CHECK: call {{.*}}i1 @__heddle_iteration(i64
void counts_down_and_may_abort(int from) {
  for (int i = from; i > 0; i -= 2) {
    if (i == 7) abort();
    use(i);
  }
}

// CHECK-LABEL: define {{.*}}@goes_on_early(
// CHECK: call {{.*}}i1 @__heddle_iteration(i64
void goes_on_early(int limit) {
  for (int i = 0; i < limit; ++i) {
    if (i % 2) continue;
    use(i);
  }
}

// CHECK-LABEL: define {{.*}}@breaks(
// CHECK-NOT: @__heddle_iteration
void breaks(int limit, const int* values) {
  for (int i = 0; i < limit; ++i) {
    if (values[i] == 0) break;
    use(i);
  }
}

// CHECK-LABEL: define {{.*}}@returns(
// CHECK-NOT: @__heddle_iteration
int returns(int limit, const int* values) {
  for (int i = 0; i < limit; ++i) {
    if (values[i] == 0) return i;
    use(i);
  }
  return limit;
}

// CHECK-LABEL: define {{.*}}@changes_twice(
// CHECK-NOT: @__heddle_iteration
void changes_twice(int limit) {
  for (int i = 0; i < limit; ++i) use(i++);
}

// CHECK-LABEL: define {{.*}}@does_not_count(
// CHECK-NOT: @__heddle_iteration
void does_not_count(const int* list) {
  while (*list != 0) use(*list++);
}

// CHECK-LABEL: define {{.*}}@points(
// CHECK: call {{.*}}i1 @__heddle_iteration(i64
void points(const int* begin, const int* end) {
  for (const int* at = begin; at != end; ++at) use(*at);
}
