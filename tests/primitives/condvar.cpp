// Condition variables: a bounded buffer on signal, a gate on broadcast, timed and clock waits, and
// the standard ones.
#include <pthread.h>

#include <cerrno>
#include <chrono>
#include <condition_variable>
#include <ctime>
#include <mutex>
#include <shared_mutex>
#include <thread>
#include <vector>

#include "expect.h"

namespace {

using namespace std::chrono_literals;

void signals_hand_every_item_over() {
  pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
  pthread_cond_t not_empty = PTHREAD_COND_INITIALIZER;
  pthread_cond_t not_full = PTHREAD_COND_INITIALIZER;
  constexpr int kItems = 60;
  std::vector<int> items;
  int sum = 0;
  std::vector<std::thread> threads;
  for (int i = 0; i < 2; ++i) {
    threads.emplace_back([&] {
      for (int item = 1; item <= kItems; ++item) {
        pthread_mutex_lock(&mutex);
        while (items.size() == 3) pthread_cond_wait(&not_full, &mutex);
        items.push_back(item);
        pthread_cond_signal(&not_empty);
        pthread_mutex_unlock(&mutex);
      }
    });
    threads.emplace_back([&] {
      for (int taken = 0; taken < kItems; ++taken) {
        pthread_mutex_lock(&mutex);
        while (items.empty()) pthread_cond_wait(&not_empty, &mutex);
        sum += items.back();
        items.pop_back();
        pthread_mutex_unlock(&mutex);
        pthread_cond_signal(&not_full);
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT(sum == kItems * (kItems + 1));
  EXPECT(pthread_cond_destroy(&not_empty) == 0);
  EXPECT(pthread_cond_destroy(&not_full) == 0);
}

void a_broadcast_opens_the_gate_for_all() {
  pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
  pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
  constexpr int kThreads = 4;
  int waiting = 0;
  int generation = 0;
  std::vector<std::thread> threads;
  for (int i = 0; i < kThreads; ++i) {
    threads.emplace_back([&] {
      for (int round = 0; round < 10; ++round) {
        pthread_mutex_lock(&mutex);
        if (++waiting == kThreads) {
          waiting = 0;
          ++generation;
          pthread_cond_broadcast(&changed);
        } else {
          while (generation == round) pthread_cond_wait(&changed, &mutex);
        }
        EXPECT(generation == round + 1);
        pthread_mutex_unlock(&mutex);
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT(generation == 10);
}

timespec in_milliseconds(clockid_t clock, long milliseconds) {
  timespec time;
  clock_gettime(clock, &time);
  time.tv_nsec += milliseconds * 1000000;
  time.tv_sec += time.tv_nsec / 1000000000;
  time.tv_nsec %= 1000000000;
  return time;
}

bool reached(clockid_t clock, const timespec& deadline) {
  timespec time;
  clock_gettime(clock, &time);
  return time.tv_sec > deadline.tv_sec || (time.tv_sec == deadline.tv_sec && time.tv_nsec >= deadline.tv_nsec);
}

void waiting_ends_at_the_deadline() {
  pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
  pthread_mutex_lock(&mutex);
  int result;

  pthread_cond_t real = PTHREAD_COND_INITIALIZER;
  timespec deadline = in_milliseconds(CLOCK_REALTIME, 5);
  while ((result = pthread_cond_timedwait(&real, &mutex, &deadline)) == 0) {
  }
  EXPECT(result == ETIMEDOUT);
  EXPECT(reached(CLOCK_REALTIME, deadline));

  deadline = in_milliseconds(CLOCK_MONOTONIC, 5);
  while ((result = pthread_cond_clockwait(&real, &mutex, CLOCK_MONOTONIC, &deadline)) == 0) {
  }
  EXPECT(result == ETIMEDOUT);
  EXPECT(reached(CLOCK_MONOTONIC, deadline));

  pthread_condattr_t attributes;
  pthread_condattr_init(&attributes);
  EXPECT(pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC) == 0);
  pthread_cond_t monotonic;
  EXPECT(pthread_cond_init(&monotonic, &attributes) == 0);
  pthread_condattr_destroy(&attributes);
  deadline = in_milliseconds(CLOCK_MONOTONIC, 5);
  while ((result = pthread_cond_timedwait(&monotonic, &mutex, &deadline)) == 0) {
  }
  EXPECT(result == ETIMEDOUT);
  EXPECT(reached(CLOCK_MONOTONIC, deadline));
  EXPECT(pthread_cond_destroy(&monotonic) == 0);

  const timespec past{1, 0};
  EXPECT(pthread_cond_timedwait(&real, &mutex, &past) == ETIMEDOUT);
  // The mutex is held again after every wait.
  std::thread([&] { EXPECT(pthread_mutex_trylock(&mutex) == EBUSY); }).join();
  pthread_mutex_unlock(&mutex);
}

void timed_waits_are_woken_too() {
  std::mutex mutex;
  std::condition_variable changed;
  int step = 0;
  std::thread other([&] {
    for (int i = 0; i < 10; ++i) {
      std::unique_lock lock(mutex);
      while (!changed.wait_for(lock, 100s, [&] { return step == 2 * i + 1; })) {
      }
      ++step;
      changed.notify_one();
    }
  });
  for (int i = 0; i < 10; ++i) {
    std::unique_lock lock(mutex);
    const auto deadline = std::chrono::system_clock::now() + 100s;
    while (!changed.wait_until(lock, deadline, [&] { return step == 2 * i; })) {
    }
    ++step;
    changed.notify_one();
  }
  other.join();
  EXPECT(step == 20);
}

void any_lock_will_do() {
  std::shared_mutex mutex;
  std::condition_variable_any changed;
  bool ready = false;
  std::thread reader([&] {
    std::shared_lock lock(mutex);
    changed.wait(lock, [&] { return ready; });
  });
  {
    std::unique_lock lock(mutex);
    EXPECT(!changed.wait_for(lock, 1ms, [] { return false; }));
    ready = true;
  }
  changed.notify_all();
  reader.join();
}

void notification_may_wait_for_thread_exit() {
  std::mutex mutex;
  std::condition_variable changed;
  bool done = false;
  std::unique_lock lock(mutex);
  std::thread other([&] {
    std::unique_lock of_thread(mutex);
    done = true;
    std::notify_all_at_thread_exit(changed, std::move(of_thread));
  });
  changed.wait(lock, [&] { return done; });
  lock.unlock();
  other.join();
}

}  // namespace

int main() {
  signals_hand_every_item_over();
  a_broadcast_opens_the_gate_for_all();
  waiting_ends_at_the_deadline();
  timed_waits_are_woken_too();
  any_lock_will_do();
  notification_may_wait_for_thread_exit();
  return finish();
}
