// A thousand threads alive at once.
#include <pthread.h>

#include <cstdint>
#include <vector>

#include "expect.h"

namespace {

constexpr unsigned kThreads = 1000;

pthread_barrier_t everybody;
pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
std::uintptr_t sum;

void* meet(void* number) {
  pthread_barrier_wait(&everybody);
  pthread_mutex_lock(&mutex);
  sum += reinterpret_cast<std::uintptr_t>(number);
  pthread_mutex_unlock(&mutex);
  pthread_barrier_wait(&everybody);
  EXPECT(sum == kThreads * (kThreads - 1) / 2);
  return number;
}

}  // namespace

int main() {
  pthread_barrier_init(&everybody, nullptr, kThreads);
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  pthread_attr_setstacksize(&attributes, 64 * 1024);
  std::vector<pthread_t> threads(kThreads);
  for (std::uintptr_t i = 0; i < kThreads; ++i) {
    EXPECT(pthread_create(&threads[i], &attributes, meet, reinterpret_cast<void*>(i)) == 0);
  }
  for (std::uintptr_t i = 0; i < kThreads; ++i) {
    void* number = nullptr;
    pthread_join(threads[i], &number);
    EXPECT(reinterpret_cast<std::uintptr_t>(number) == i);
  }
  return finish();
}
