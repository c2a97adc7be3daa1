// A copy of the execution with three live threads that hold keys and recursive mutexes: afterwards both the original
// and the copy continue, create and join ten more threads, and end with their atexit functions and thread-local
// destructors.
#include <pthread.h>
#include <semaphore.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <cstdlib>
#include <cstring>

#include "expect.h"

extern "C" __attribute__((weak)) int heddle_checkpoint();

namespace {

constexpr int kThreads = 3;

pthread_key_t key;
pthread_mutex_t recursive[kThreads];
sem_t holding, go_on;
std::atomic<int> keys_destroyed{0};
std::atomic<int> locals_destroyed{0};

struct CountsItsEnd {
  int value = 0;
  ~CountsItsEnd() { ++locals_destroyed; }
};
thread_local CountsItsEnd local;

void* hold(void* argument) {
  const long number = reinterpret_cast<long>(argument);
  local.value = static_cast<int>(number);
  pthread_setspecific(key, argument);
  pthread_mutex_lock(&recursive[number - 1]);
  pthread_mutex_lock(&recursive[number - 1]);
  sem_post(&holding);
  sem_wait(&go_on);
  EXPECT(pthread_getspecific(key) == argument);
  EXPECT(local.value == number);
  EXPECT(pthread_mutex_trylock(&recursive[number - 1]) == 0);
  for (int i = 0; i < 3; ++i) EXPECT(pthread_mutex_unlock(&recursive[number - 1]) == 0);
  return nullptr;
}

void* touch(void* argument) {
  local.value = 1;
  pthread_setspecific(key, argument);
  return argument;
}

// What is printed by hand: stdio's buffers are copied too.
void say(const char* text) { EXPECT(write(STDOUT_FILENO, text, std::strlen(text)) > 0); }

void at_exit() {
  // Main has no part in either count.
  const bool complete = keys_destroyed == kThreads + 10 && locals_destroyed == kThreads + 10;
  if (!complete) {
    say("destructors are missing\n");
    _exit(1);
  }
}

}  // namespace

int main() {
  if (heddle_checkpoint == nullptr) return finish();
  std::atexit(at_exit);
  pthread_key_create(&key, [](void*) { ++keys_destroyed; });
  pthread_mutexattr_t attributes;
  pthread_mutexattr_init(&attributes);
  pthread_mutexattr_settype(&attributes, PTHREAD_MUTEX_RECURSIVE);
  for (pthread_mutex_t& mutex : recursive) pthread_mutex_init(&mutex, &attributes);
  sem_init(&holding, 0, 0);
  sem_init(&go_on, 0, 0);
  pthread_t threads[kThreads];
  for (long i = 0; i < kThreads; ++i) pthread_create(&threads[i], nullptr, hold, reinterpret_cast<void*>(i + 1));
  for (int i = 0; i < kThreads; ++i) sem_wait(&holding);

  const int copy = heddle_checkpoint();
  for (int i = 0; i < kThreads; ++i) sem_post(&go_on);
  for (pthread_t thread : threads) EXPECT(pthread_join(thread, nullptr) == 0);
  for (long i = 1; i <= 10; ++i) {
    pthread_t another;
    void* result = nullptr;
    EXPECT(pthread_create(&another, nullptr, touch, reinterpret_cast<void*>(i)) == 0);
    EXPECT(pthread_join(another, &result) == 0);
    EXPECT(result == reinterpret_cast<void*>(i));
  }
  if (copy > 0) {
    int status = -1;
    EXPECT(waitpid(copy, &status, 0) == copy);
    EXPECT(WIFEXITED(status) && WEXITSTATUS(status) == 0);
  }
  return finish();
}
