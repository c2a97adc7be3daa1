// Timed and clock locking: gives up at the deadline and not before, and gets a mutex that is
// released.
#include <pthread.h>

#include <cerrno>
#include <chrono>
#include <ctime>
#include <mutex>
#include <thread>

#include "expect.h"

namespace {

using namespace std::chrono_literals;

timespec now(clockid_t clock) {
  timespec time;
  clock_gettime(clock, &time);
  return time;
}

timespec later(clockid_t clock, long milliseconds) {
  timespec time = now(clock);
  time.tv_sec += milliseconds / 1000;
  time.tv_nsec += milliseconds % 1000 * 1000000;
  if (time.tv_nsec >= 1000000000) {
    time.tv_nsec -= 1000000000;
    ++time.tv_sec;
  }
  return time;
}

bool reached(clockid_t clock, const timespec& deadline) {
  const timespec time = now(clock);
  return time.tv_sec > deadline.tv_sec || (time.tv_sec == deadline.tv_sec && time.tv_nsec >= deadline.tv_nsec);
}

void give_up_at_the_deadline(pthread_mutex_t& held) {
  const timespec real = later(CLOCK_REALTIME, 5);
  EXPECT(pthread_mutex_timedlock(&held, &real) == ETIMEDOUT);
  EXPECT(reached(CLOCK_REALTIME, real));
  for (clockid_t clock : {CLOCK_REALTIME, CLOCK_MONOTONIC}) {
    const timespec deadline = later(clock, 5);
    EXPECT(pthread_mutex_clocklock(&held, clock, &deadline) == ETIMEDOUT);
    EXPECT(reached(clock, deadline));
  }
  const timespec past{1, 0};
  EXPECT(pthread_mutex_timedlock(&held, &past) == ETIMEDOUT);
}

void timed_locks_count_like_plain_ones() {
  pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
  pthread_mutex_lock(&mutex);
  std::thread([&] { give_up_at_the_deadline(mutex); }).join();
  pthread_mutex_unlock(&mutex);

  int counter = 0;
  const auto count = [&] {
    for (int i = 0; i < 30;) {
      const timespec deadline = later(CLOCK_REALTIME, 1000);
      const int result = pthread_mutex_timedlock(&mutex, &deadline);
      if (result == ETIMEDOUT) continue;
      EXPECT(result == 0);
      ++counter;
      ++i;
      EXPECT(pthread_mutex_unlock(&mutex) == 0);
    }
  };
  std::thread first(count);
  std::thread second(count);
  first.join();
  second.join();
  EXPECT(counter == 60);
}

void an_error_checking_mutex_still_checks() {
  pthread_mutex_t mutex = PTHREAD_ERRORCHECK_MUTEX_INITIALIZER_NP;
  const timespec deadline = later(CLOCK_REALTIME, 1000);
  EXPECT(pthread_mutex_timedlock(&mutex, &deadline) == 0);
  EXPECT(pthread_mutex_timedlock(&mutex, &deadline) == EDEADLK);
  EXPECT(pthread_mutex_unlock(&mutex) == 0);
}

template <class TimedMutex>
void standard_timed_mutex() {
  TimedMutex mutex;
  mutex.lock();
  std::thread([&] {
    EXPECT(!mutex.try_lock_for(2ms));
    EXPECT(!mutex.try_lock_until(std::chrono::steady_clock::now() + 2ms));
    EXPECT(!mutex.try_lock_until(std::chrono::system_clock::now() + 2ms));
  }).join();
  mutex.unlock();
  EXPECT(mutex.try_lock_for(2ms));
  mutex.unlock();
}

}  // namespace

int main() {
  timed_locks_count_like_plain_ones();
  an_error_checking_mutex_still_checks();
  standard_timed_mutex<std::timed_mutex>();
  standard_timed_mutex<std::recursive_timed_mutex>();
  return finish();
}
