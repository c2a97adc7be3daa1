// pthread barriers: no thread passes early, exactly one serial thread a round, used again at once.
#include <pthread.h>
#include <sched.h>

#include <atomic>
#include <thread>
#include <vector>

#include "expect.h"

int main() {
  constexpr int kThreads = 4;
  constexpr int kRounds = 20;
  pthread_barrier_t barrier;
  EXPECT(pthread_barrier_init(&barrier, nullptr, kThreads) == 0);
  std::atomic<int> arrived[kRounds] = {};
  std::atomic<int> serial[kRounds] = {};
  std::vector<std::thread> threads;
  for (int i = 0; i < kThreads; ++i) {
    threads.emplace_back([&] {
      for (int round = 0; round < kRounds; ++round) {
        ++arrived[round];
        const int result = pthread_barrier_wait(&barrier);
        EXPECT(result == 0 || result == PTHREAD_BARRIER_SERIAL_THREAD);
        if (result == PTHREAD_BARRIER_SERIAL_THREAD) ++serial[round];
        EXPECT(arrived[round] == kThreads);
        sched_yield();
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  for (int round = 0; round < kRounds; ++round) EXPECT(serial[round] == 1);
  EXPECT(pthread_barrier_destroy(&barrier) == 0);

  EXPECT(pthread_barrier_init(&barrier, nullptr, 1) == 0);
  EXPECT(pthread_barrier_wait(&barrier) == PTHREAD_BARRIER_SERIAL_THREAD);
  EXPECT(pthread_barrier_destroy(&barrier) == 0);
  return finish();
}
