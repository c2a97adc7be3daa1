// C11 threads: thrd_*, mtx_*, cnd_*, tss_* and call_once.
#define _GNU_SOURCE
#include <stdint.h>
#include <stdlib.h>
#include <threads.h>
#include <time.h>

#include "expect.h"

enum { kThreads = 4, kRounds = 50 };

static mtx_t mutex;
static cnd_t changed;
static int counter;
static int turn;
static once_flag once = ONCE_FLAG_INIT;
static int once_calls;
static tss_t slot;
static int slots_destroyed;

static void count_call(void) { ++once_calls; }

static void destroy_slot(void* value) {
  mtx_lock(&mutex);
  ++slots_destroyed;
  mtx_unlock(&mutex);
  free(value);
}

static int count_in_turn(void* argument) {
  const int me = (int)(intptr_t)argument;
  call_once(&once, count_call);
  EXPECT(once_calls == 1);
  int* own = malloc(sizeof *own);
  *own = me;
  EXPECT(tss_set(slot, own) == thrd_success);
  for (int i = 0; i < kRounds; ++i) {
    mtx_lock(&mutex);
    while (turn != me) cnd_wait(&changed, &mutex);
    ++counter;
    turn = (turn + 1) % kThreads;
    cnd_broadcast(&changed);
    mtx_unlock(&mutex);
  }
  EXPECT(*(int*)tss_get(slot) == me);
  if (me % 2 == 0) thrd_exit(100 + me);
  return 100 + me;
}

static struct timespec soon(void) {
  struct timespec time;
  timespec_get(&time, TIME_UTC);
  time.tv_nsec += 5000000;
  if (time.tv_nsec >= 1000000000) {
    time.tv_nsec -= 1000000000;
    ++time.tv_sec;
  }
  return time;
}

static int try_held_mutex(void* held) {
  EXPECT(mtx_trylock(held) == thrd_busy);
  const struct timespec deadline = soon();
  EXPECT(mtx_timedlock(held, &deadline) == thrd_timedout);
  return 0;
}

static void mutexes_by_kind(void) {
  mtx_t timed;
  EXPECT(mtx_init(&timed, mtx_timed) == thrd_success);
  EXPECT(mtx_lock(&timed) == thrd_success);
  thrd_t thread;
  thrd_create(&thread, try_held_mutex, &timed);
  thrd_join(thread, NULL);
  mtx_unlock(&timed);
  mtx_destroy(&timed);

  mtx_t recursive;
  EXPECT(mtx_init(&recursive, mtx_recursive) == thrd_success);
  EXPECT(mtx_lock(&recursive) == thrd_success);
  EXPECT(mtx_trylock(&recursive) == thrd_success);
  mtx_unlock(&recursive);
  mtx_unlock(&recursive);
  mtx_destroy(&recursive);
}

static void waiting_times_out(void) {
  mtx_lock(&mutex);
  const struct timespec deadline = soon();
  int result;
  do result = cnd_timedwait(&changed, &mutex, &deadline);
  while (result == thrd_success);
  EXPECT(result == thrd_timedout);
  mtx_unlock(&mutex);
}

static int end_detached(void* unused) {
  (void)unused;
  mtx_lock(&mutex);
  counter = -1;
  cnd_signal(&changed);
  mtx_unlock(&mutex);
  return 0;
}

int main(void) {
  EXPECT(mtx_init(&mutex, mtx_plain) == thrd_success);
  EXPECT(cnd_init(&changed) == thrd_success);
  EXPECT(tss_create(&slot, destroy_slot) == thrd_success);
  thrd_t threads[kThreads];
  for (intptr_t i = 0; i < kThreads; ++i) {
    EXPECT(thrd_create(&threads[i], count_in_turn, (void*)i) == thrd_success);
  }
  for (int i = 0; i < kThreads; ++i) {
    int result = 0;
    EXPECT(thrd_join(threads[i], &result) == thrd_success);
    EXPECT(result == 100 + i);
  }
  EXPECT(counter == kThreads * kRounds);
  EXPECT(slots_destroyed == kThreads);

  mutexes_by_kind();
  waiting_times_out();
  thrd_t detached;
  thrd_create(&detached, end_detached, NULL);
  thrd_detach(detached);
  mtx_lock(&mutex);
  while (counter != -1) cnd_wait(&changed, &mutex);
  mtx_unlock(&mutex);

  const struct timespec pause = {.tv_nsec = 1000000};
  EXPECT(thrd_sleep(&pause, NULL) == 0);
  thrd_yield();
  EXPECT(thrd_equal(thrd_current(), thrd_current()));
  return finish();
}
