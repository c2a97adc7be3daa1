// Read-write locks: readers together, writers alone; trying, timed and clock variants; all kinds;
// std::shared_mutex.
#include <pthread.h>
#include <sched.h>

#include <barrier>
#include <cerrno>
#include <chrono>
#include <ctime>
#include <mutex>
#include <shared_mutex>
#include <thread>
#include <vector>

#include "expect.h"

namespace {

using namespace std::chrono_literals;

timespec soon(clockid_t clock) {
  timespec time;
  clock_gettime(clock, &time);
  time.tv_nsec += 3000000;
  if (time.tv_nsec >= 1000000000) {
    time.tv_nsec -= 1000000000;
    ++time.tv_sec;
  }
  return time;
}

void readers_meet_inside(pthread_rwlock_t& lock) {
  std::barrier inside(3);
  std::vector<std::thread> readers;
  for (int i = 0; i < 3; ++i) {
    readers.emplace_back([&] {
      EXPECT(pthread_rwlock_rdlock(&lock) == 0);
      inside.arrive_and_wait();
      EXPECT(pthread_rwlock_unlock(&lock) == 0);
    });
  }
  for (std::thread& reader : readers) reader.join();
}

void readers_see_whole_writes(pthread_rwlock_t& lock) {
  int first = 0;
  int second = 0;
  std::vector<std::thread> threads;
  for (int i = 0; i < 2; ++i) {
    threads.emplace_back([&] {
      for (int round = 0; round < 40; ++round) {
        EXPECT(pthread_rwlock_wrlock(&lock) == 0);
        ++first;
        sched_yield();
        ++second;
        EXPECT(pthread_rwlock_unlock(&lock) == 0);
      }
    });
    threads.emplace_back([&] {
      for (int round = 0; round < 40; ++round) {
        EXPECT(pthread_rwlock_rdlock(&lock) == 0);
        const int seen = first;
        sched_yield();
        EXPECT(second == seen);
        EXPECT(pthread_rwlock_unlock(&lock) == 0);
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT(first == 80);
}

void a_writer_shuts_everybody_out(pthread_rwlock_t& lock) {
  EXPECT(pthread_rwlock_wrlock(&lock) == 0);
  std::thread([&] {
    EXPECT(pthread_rwlock_tryrdlock(&lock) == EBUSY);
    EXPECT(pthread_rwlock_trywrlock(&lock) == EBUSY);
    const timespec real = soon(CLOCK_REALTIME);
    EXPECT(pthread_rwlock_timedrdlock(&lock, &real) == ETIMEDOUT);
    const timespec real_again = soon(CLOCK_REALTIME);
    EXPECT(pthread_rwlock_timedwrlock(&lock, &real_again) == ETIMEDOUT);
    const timespec monotonic = soon(CLOCK_MONOTONIC);
    EXPECT(pthread_rwlock_clockrdlock(&lock, CLOCK_MONOTONIC, &monotonic) == ETIMEDOUT);
    const timespec monotonic_again = soon(CLOCK_MONOTONIC);
    EXPECT(pthread_rwlock_clockwrlock(&lock, CLOCK_MONOTONIC, &monotonic_again) == ETIMEDOUT);
  }).join();
  EXPECT(pthread_rwlock_rdlock(&lock) == EDEADLK);
  EXPECT(pthread_rwlock_unlock(&lock) == 0);
}

void a_reader_shuts_writers_out(pthread_rwlock_t& lock) {
  EXPECT(pthread_rwlock_rdlock(&lock) == 0);
  std::thread([&] {
    EXPECT(pthread_rwlock_trywrlock(&lock) == EBUSY);
    EXPECT(pthread_rwlock_tryrdlock(&lock) == 0);
    EXPECT(pthread_rwlock_unlock(&lock) == 0);
    const timespec real = soon(CLOCK_REALTIME);
    EXPECT(pthread_rwlock_timedwrlock(&lock, &real) == ETIMEDOUT);
  }).join();
  EXPECT(pthread_rwlock_unlock(&lock) == 0);
}

template <class SharedMutex>
void standard_shared_mutex() {
  SharedMutex mutex;
  std::barrier inside(2);
  const auto read_together = [&] {
    std::shared_lock lock(mutex);
    inside.arrive_and_wait();
  };
  std::thread reader(read_together);
  read_together();
  reader.join();

  std::unique_lock writing(mutex);
  std::thread([&] {
    EXPECT(!mutex.try_lock());
    EXPECT(!mutex.try_lock_shared());
    if constexpr (std::is_same_v<SharedMutex, std::shared_timed_mutex>) {
      EXPECT(!mutex.try_lock_for(2ms));
      EXPECT(!mutex.try_lock_shared_for(2ms));
    }
  }).join();
}

}  // namespace

int main() {
  for (int kind : {PTHREAD_RWLOCK_PREFER_READER_NP, PTHREAD_RWLOCK_PREFER_WRITER_NP,
                   PTHREAD_RWLOCK_PREFER_WRITER_NONRECURSIVE_NP}) {
    pthread_rwlockattr_t attributes;
    pthread_rwlockattr_init(&attributes);
    EXPECT(pthread_rwlockattr_setkind_np(&attributes, kind) == 0);
    pthread_rwlock_t lock;
    EXPECT(pthread_rwlock_init(&lock, &attributes) == 0);
    pthread_rwlockattr_destroy(&attributes);
    readers_meet_inside(lock);
    readers_see_whole_writes(lock);
    a_writer_shuts_everybody_out(lock);
    a_reader_shuts_writers_out(lock);
    EXPECT(pthread_rwlock_destroy(&lock) == 0);
  }
  standard_shared_mutex<std::shared_mutex>();
  standard_shared_mutex<std::shared_timed_mutex>();
  return finish();
}
