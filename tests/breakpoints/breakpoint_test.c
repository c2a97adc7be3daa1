/* The C side of include/heddle/breakpoint.h, in C11. Run with HEDDLE_BREAKPOINTS=on. */
#include <heddle/breakpoint.h>
#include <pthread.h>
#include <stdio.h>

#define CHECK(condition)                                                            \
  do {                                                                              \
    if (!(condition)) {                                                             \
      fprintf(stderr, "%s:%d: %s does not hold\n", __FILE__, __LINE__, #condition); \
      return 1;                                                                     \
    }                                                                               \
  } while (0)

enum { kLongMs = 20000 };

static int counter;
static int seen = -1;

static void* go_first(void* hit) {
  struct heddle_breakpoint at = HEDDLE_CONFLICT("c.conflict", 0, &counter);
  at.timeout_ms = kLongMs;
  *(int*)hit = heddle_breakpoint_begin(&at);
  counter = 1;
  heddle_breakpoint_done(&at);
  return NULL;
}

static void* go_second(void* hit) {
  struct heddle_breakpoint at = HEDDLE_CONFLICT("c.conflict", 1, &counter);
  at.timeout_ms = kLongMs;
  *(int*)hit = heddle_breakpoint_reach(&at);
  seen = counter;
  return NULL;
}

static int meet(void* (*first)(void*), void* (*second)(void*)) {
  int hit[2] = {0, 0};
  pthread_t threads[2];
  if (pthread_create(&threads[0], NULL, first, &hit[0]) != 0) return 0;
  if (pthread_create(&threads[1], NULL, second, &hit[1]) != 0) return 0;
  pthread_join(threads[0], NULL);
  pthread_join(threads[1], NULL);
  return hit[0] && hit[1];
}

static int is_odd(void* context) { return *(int*)context % 2; }

static int adds_up_to_ten(const struct heddle_breakpoint* self, const struct heddle_breakpoint* const* all,
                          unsigned count) {
  int sum = 0;
  (void)self;
  for (unsigned i = 0; i < count; ++i) sum += *(int*)all[i]->context;
  return sum == 10;
}

static int values[3] = {3, 7, 8};

static void* bring_value(int index, unsigned place, long long timeout_ms, int* hit) {
  struct heddle_breakpoint at = HEDDLE_PLACE("c.joint", place);
  at.local = is_odd;
  at.joint = adds_up_to_ten;
  at.context = &values[index];
  at.timeout_ms = timeout_ms;
  *hit = heddle_breakpoint_reach(&at);
  return NULL;
}

static void* bring_three(void* hit) { return bring_value(0, 0, kLongMs, hit); }
static void* bring_seven(void* hit) { return bring_value(1, 1, kLongMs, hit); }

int main(void) {
  CHECK(heddle_breakpoints_on());
  CHECK(meet(go_first, go_second));
  CHECK(seen == 1);

  int hit = 1;
  bring_value(2, 0, kLongMs, &hit); /* 8 is even: it passes by */
  CHECK(!hit);
  CHECK(meet(bring_three, bring_seven));

  struct heddle_held_lock held;
  CHECK(!heddle_lock_type_is_held("Caret"));
  heddle_lock_taken(&held, &counter, "Caret");
  CHECK(heddle_lock_type_is_held("Caret"));
  CHECK(heddle_lock_is_held(&counter));
  heddle_lock_released(&held);
  CHECK(!heddle_lock_is_held(&counter));

  struct heddle_breakpoint wrong = HEDDLE_PLACE("c.wrong", 2); /* of two places */
  CHECK(!heddle_breakpoint_reach(&wrong));
  puts("ok");
  return 0;
}
