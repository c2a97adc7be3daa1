// Spinning: pthread spin locks, and loops that spin on an atomic or on a plain flag under a lock
// until another thread has moved on.
#include <pthread.h>
#include <sched.h>

#include <atomic>
#include <cerrno>
#include <mutex>
#include <thread>
#include <vector>

#include "expect.h"

namespace {

void a_spin_lock_excludes() {
  pthread_spinlock_t lock;
  EXPECT(pthread_spin_init(&lock, PTHREAD_PROCESS_PRIVATE) == 0);
  int counter = 0;
  std::vector<std::thread> threads;
  for (int i = 0; i < 3; ++i) {
    threads.emplace_back([&] {
      for (int round = 0; round < 100; ++round) {
        if (round % 4 == 0) {
          while (pthread_spin_trylock(&lock) == EBUSY) sched_yield();
        } else {
          EXPECT(pthread_spin_lock(&lock) == 0);
        }
        ++counter;
        EXPECT(pthread_spin_unlock(&lock) == 0);
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT(counter == 300);
  EXPECT(pthread_spin_lock(&lock) == 0);
  std::thread([&] { EXPECT(pthread_spin_trylock(&lock) == EBUSY); }).join();
  EXPECT(pthread_spin_unlock(&lock) == 0);
  EXPECT(pthread_spin_destroy(&lock) == 0);
}

void spinning_without_yielding_ends() {
  std::atomic<int> turn = 0;
  std::thread other([&] {
    for (int i = 0; i < 50; ++i) {
      while (turn.load(std::memory_order_acquire) != 2 * i + 1) {
      }
      turn.store(2 * i + 2, std::memory_order_release);
    }
  });
  for (int i = 0; i < 50; ++i) {
    while (turn.load(std::memory_order_acquire) != 2 * i) {
    }
    turn.store(2 * i + 1, std::memory_order_release);
  }
  other.join();
  EXPECT(turn == 100);
}

void a_test_and_set_lock_excludes() {
  std::atomic_flag taken;
  int counter = 0;
  const auto count = [&] {
    for (int i = 0; i < 50; ++i) {
      while (taken.test_and_set(std::memory_order_acquire)) {
      }
      ++counter;
      taken.clear(std::memory_order_release);
    }
  };
  std::thread first(count);
  std::thread second(count);
  count();
  first.join();
  second.join();
  EXPECT(counter == 150);
}

void polling_under_a_lock_ends() {
  std::mutex mutex;
  bool ready = false;
  std::thread poller([&] {
    for (;;) {
      std::lock_guard guard(mutex);
      if (ready) return;
    }
  });
  {
    std::lock_guard guard(mutex);
    ready = true;
  }
  poller.join();
}

}  // namespace

int main() {
  a_spin_lock_excludes();
  spinning_without_yielding_ends();
  a_test_and_set_lock_excludes();
  polling_under_a_lock_ends();
  return finish();
}
