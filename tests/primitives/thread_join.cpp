// Creating, joining in all four ways, and detaching.
#include <pthread.h>
#include <sched.h>
#include <semaphore.h>

#include <cerrno>
#include <cstdint>
#include <ctime>

#include "expect.h"

namespace {

sem_t may_end;
sem_t detached_ended;

void* answer(void* argument) { return reinterpret_cast<void*>(reinterpret_cast<std::intptr_t>(argument) * 2); }

void* wait_for_leave(void*) {
  sem_wait(&may_end);
  return &may_end;
}

void* end_detached(void*) {
  sem_post(&detached_ended);
  return nullptr;
}

timespec in_milliseconds(clockid_t clock, long milliseconds) {
  timespec time;
  clock_gettime(clock, &time);
  time.tv_nsec += milliseconds * 1000000;
  time.tv_sec += time.tv_nsec / 1000000000;
  time.tv_nsec %= 1000000000;
  return time;
}

void join_returns_the_value() {
  pthread_t threads[8];
  for (std::intptr_t i = 0; i < 8; ++i) {
    EXPECT(pthread_create(&threads[i], nullptr, answer, reinterpret_cast<void*>(i)) == 0);
  }
  for (std::intptr_t i = 7; i >= 0; --i) {
    void* value = nullptr;
    EXPECT(pthread_join(threads[i], &value) == 0);
    EXPECT(reinterpret_cast<std::intptr_t>(value) == 2 * i);
  }
}

void join_of_oneself_is_refused() { EXPECT(pthread_join(pthread_self(), nullptr) == EDEADLK); }

void tryjoin_waits_for_nothing() {
  pthread_t thread;
  pthread_create(&thread, nullptr, wait_for_leave, nullptr);
  EXPECT(pthread_tryjoin_np(thread, nullptr) == EBUSY);
  sem_post(&may_end);
  void* value = nullptr;
  int result;
  while ((result = pthread_tryjoin_np(thread, &value)) == EBUSY) sched_yield();
  EXPECT(result == 0);
  EXPECT(value == &may_end);
}

void timed_join_gives_up_and_succeeds() {
  pthread_t thread;
  pthread_create(&thread, nullptr, wait_for_leave, nullptr);
  const timespec soon = in_milliseconds(CLOCK_REALTIME, 5);
  EXPECT(pthread_timedjoin_np(thread, nullptr, &soon) == ETIMEDOUT);
  const timespec soon_monotonic = in_milliseconds(CLOCK_MONOTONIC, 5);
  EXPECT(pthread_clockjoin_np(thread, nullptr, CLOCK_MONOTONIC, &soon_monotonic) == ETIMEDOUT);
  sem_post(&may_end);
  void* value = nullptr;
  // Virtual time may pass the deadline before the thread may continue: then join is called again.
  int result;
  do {
    const timespec late = in_milliseconds(CLOCK_MONOTONIC, 900);
    result = pthread_clockjoin_np(thread, &value, CLOCK_MONOTONIC, &late);
  } while (result == ETIMEDOUT);
  EXPECT(result == 0);
  EXPECT(value == &may_end);
}

void detached_threads_run() {
  pthread_t thread;
  pthread_create(&thread, nullptr, end_detached, nullptr);
  EXPECT(pthread_detach(thread) == 0);
  pthread_attr_t detached;
  pthread_attr_init(&detached);
  pthread_attr_setdetachstate(&detached, PTHREAD_CREATE_DETACHED);
  EXPECT(pthread_create(&thread, &detached, end_detached, nullptr) == 0);
  pthread_attr_destroy(&detached);
  sem_wait(&detached_ended);
  sem_wait(&detached_ended);
}

}  // namespace

int main() {
  sem_init(&may_end, 0, 0);
  sem_init(&detached_ended, 0, 0);
  join_returns_the_value();
  join_of_oneself_is_refused();
  tryjoin_waits_for_nothing();
  timed_join_gives_up_and_succeeds();
  detached_threads_run();
  return finish();
}
