// Deferred cancellation in C++: it acts at a cancellation point, wherever that blocks, and unwinds
// the thread through its destructors; disabled, it waits.
#include <pthread.h>
#include <semaphore.h>
#include <unistd.h>

#include <atomic>
#include <ctime>

#include "expect.h"

namespace {

sem_t never_posted;
sem_t started;
int never_written[2];
pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
pthread_cond_t never_signalled = PTHREAD_COND_INITIALIZER;
std::atomic<int> unwound;

struct CountUnwinding {
  ~CountUnwinding() { ++unwound; }
};

// A thread that is cancelled in a condition wait holds the mutex again.
struct UnlockMutex {
  ~UnlockMutex() { EXPECT(pthread_mutex_unlock(&mutex) == 0); }
};

void block_in_cond_wait() {
  pthread_mutex_lock(&mutex);
  UnlockMutex unlock;
  for (;;) pthread_cond_wait(&never_signalled, &mutex);
}

void block_in_sem_wait() {
  for (;;) sem_wait(&never_posted);
}

void block_in_read() {
  char byte;
  for (;;) (void)!read(never_written[0], &byte, 1);
}

void block_in_nanosleep() {
  const timespec long_time{1000, 0};
  for (;;) nanosleep(&long_time, nullptr);
}

void* wait_for_ever(void*) {
  CountUnwinding count;
  for (;;) sem_wait(&never_posted);
}

void block_in_join() {
  pthread_t other;
  pthread_create(&other, nullptr, wait_for_ever, nullptr);
  struct EndOther {
    pthread_t thread;
    ~EndOther() {
      pthread_cancel(thread);
      EXPECT(pthread_join(thread, nullptr) == 0);
    }
  } end_other{other};
  pthread_join(other, nullptr);
}

void spin_on_testcancel() {
  for (;;) pthread_testcancel();
}

void* run_blocking(void* blocking) {
  CountUnwinding count;
  sem_post(&started);
  reinterpret_cast<void (*)()>(blocking)();
  return nullptr;
}

void cancel_ends(void (*blocking)(), int threads_unwound) {
  unwound = 0;
  pthread_t thread;
  pthread_create(&thread, nullptr, run_blocking, reinterpret_cast<void*>(blocking));
  sem_wait(&started);
  EXPECT(pthread_cancel(thread) == 0);
  void* value = nullptr;
  EXPECT(pthread_join(thread, &value) == 0);
  EXPECT(value == PTHREAD_CANCELED);
  EXPECT(unwound == threads_unwound);
}

sem_t cancelled;
std::atomic<bool> survived;

void* hold_cancellation_off(void*) {
  int before;
  pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &before);
  EXPECT(before == PTHREAD_CANCEL_ENABLE);
  sem_post(&started);
  sem_wait(&cancelled);
  pthread_testcancel();
  survived = true;
  pthread_setcancelstate(PTHREAD_CANCEL_ENABLE, nullptr);
  pthread_testcancel();
  return nullptr;
}

void cancel_waits_while_disabled() {
  pthread_t thread;
  pthread_create(&thread, nullptr, hold_cancellation_off, nullptr);
  sem_wait(&started);
  pthread_cancel(thread);
  sem_post(&cancelled);
  void* value = nullptr;
  pthread_join(thread, &value);
  EXPECT(survived);
  EXPECT(value == PTHREAD_CANCELED);
}

}  // namespace

int main() {
  sem_init(&never_posted, 0, 0);
  sem_init(&started, 0, 0);
  sem_init(&cancelled, 0, 0);
  EXPECT(pipe(never_written) == 0);
  cancel_ends(block_in_cond_wait, 1);
  EXPECT(pthread_mutex_trylock(&mutex) == 0);
  pthread_mutex_unlock(&mutex);
  cancel_ends(block_in_sem_wait, 1);
  cancel_ends(block_in_read, 1);
  cancel_ends(block_in_nanosleep, 1);
  cancel_ends(block_in_join, 2);
  cancel_ends(spin_on_testcancel, 1);
  cancel_waits_while_disabled();
  return finish();
}
