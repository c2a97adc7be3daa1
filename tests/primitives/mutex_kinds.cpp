// Normal, recursive, error-checking and priority-inheriting mutexes: exclusion, and what each
// refuses.
#include <pthread.h>
#include <sched.h>

#include <cerrno>
#include <mutex>
#include <thread>
#include <vector>

#include "expect.h"

namespace {

class Mutex {
 public:
  explicit Mutex(int type, int protocol = PTHREAD_PRIO_NONE) {
    pthread_mutexattr_t attributes;
    pthread_mutexattr_init(&attributes);
    EXPECT(pthread_mutexattr_settype(&attributes, type) == 0);
    EXPECT(pthread_mutexattr_setprotocol(&attributes, protocol) == 0);
    EXPECT(pthread_mutex_init(&mutex_, &attributes) == 0);
    pthread_mutexattr_destroy(&attributes);
  }
  ~Mutex() { EXPECT(pthread_mutex_destroy(&mutex_) == 0); }

  int lock() { return pthread_mutex_lock(&mutex_); }
  int try_lock() { return pthread_mutex_trylock(&mutex_); }
  int unlock() { return pthread_mutex_unlock(&mutex_); }

 private:
  pthread_mutex_t mutex_;
};

void excludes(Mutex& mutex) {
  int inside = 0;
  int counter = 0;
  std::vector<std::thread> threads;
  for (int i = 0; i < 3; ++i) {
    threads.emplace_back([&] {
      for (int round = 0; round < 50; ++round) {
        if (round % 5 == 0) {
          while (mutex.try_lock() == EBUSY) sched_yield();
        } else {
          EXPECT(mutex.lock() == 0);
        }
        EXPECT(++inside == 1);
        sched_yield();
        ++counter;
        --inside;
        EXPECT(mutex.unlock() == 0);
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT(counter == 150);
}

int on_another_thread(int (Mutex::*operation)(), Mutex& mutex) {
  int result = -1;
  std::thread([&] { result = (mutex.*operation)(); }).join();
  return result;
}

void a_held_mutex_is_busy(Mutex& mutex) {
  EXPECT(mutex.lock() == 0);
  EXPECT(on_another_thread(&Mutex::try_lock, mutex) == EBUSY);
  EXPECT(mutex.unlock() == 0);
}

void a_recursive_mutex_counts() {
  Mutex mutex(PTHREAD_MUTEX_RECURSIVE);
  for (int i = 0; i < 3; ++i) EXPECT(mutex.lock() == 0);
  EXPECT(mutex.try_lock() == 0);
  for (int i = 0; i < 4; ++i) {
    EXPECT(on_another_thread(&Mutex::try_lock, mutex) == EBUSY);
    EXPECT(mutex.unlock() == 0);
  }
  std::thread([&] {
    EXPECT(mutex.try_lock() == 0);
    EXPECT(mutex.unlock() == 0);
  }).join();
}

void an_error_checking_mutex_checks() {
  Mutex mutex(PTHREAD_MUTEX_ERRORCHECK);
  EXPECT(mutex.unlock() == EPERM);
  EXPECT(mutex.lock() == 0);
  EXPECT(mutex.lock() == EDEADLK);
  EXPECT(mutex.try_lock() == EBUSY);
  EXPECT(on_another_thread(&Mutex::unlock, mutex) == EPERM);
  EXPECT(mutex.unlock() == 0);
}

void static_initializers_work() {
  static pthread_mutex_t recursive = PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP;
  static pthread_mutex_t checking = PTHREAD_ERRORCHECK_MUTEX_INITIALIZER_NP;
  static pthread_mutex_t adaptive = PTHREAD_ADAPTIVE_MUTEX_INITIALIZER_NP;
  EXPECT(pthread_mutex_lock(&recursive) == 0 && pthread_mutex_lock(&recursive) == 0);
  EXPECT(pthread_mutex_unlock(&recursive) == 0 && pthread_mutex_unlock(&recursive) == 0);
  EXPECT(pthread_mutex_lock(&checking) == 0 && pthread_mutex_lock(&checking) == EDEADLK);
  EXPECT(pthread_mutex_unlock(&checking) == 0);
  EXPECT(pthread_mutex_lock(&adaptive) == 0 && pthread_mutex_unlock(&adaptive) == 0);
}

void several_are_locked_together() {
  std::mutex first;
  std::recursive_mutex second;
  int counter = 0;
  const auto forwards = [&] {
    for (int i = 0; i < 50; ++i) {
      std::scoped_lock both(first, second);
      ++counter;
    }
  };
  const auto backwards = [&] {
    for (int i = 0; i < 50; ++i) {
      std::scoped_lock both(second, first);
      ++counter;
    }
  };
  std::thread other(backwards);
  forwards();
  other.join();
  EXPECT(counter == 100);
}

}  // namespace

int main() {
  for (int type :
       {PTHREAD_MUTEX_NORMAL, PTHREAD_MUTEX_RECURSIVE, PTHREAD_MUTEX_ERRORCHECK, PTHREAD_MUTEX_ADAPTIVE_NP}) {
    Mutex mutex(type);
    excludes(mutex);
    a_held_mutex_is_busy(mutex);
  }
  for (int type : {PTHREAD_MUTEX_NORMAL, PTHREAD_MUTEX_RECURSIVE, PTHREAD_MUTEX_ERRORCHECK}) {
    Mutex mutex(type, PTHREAD_PRIO_INHERIT);
    excludes(mutex);
    a_held_mutex_is_busy(mutex);
  }
  a_recursive_mutex_counts();
  an_error_checking_mutex_checks();
  static_initializers_work();
  several_are_locked_together();
  return finish();
}
