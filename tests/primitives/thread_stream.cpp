// 20,000 short threads one after another, every other one detached: memory stays bounded.
#include <pthread.h>
#include <semaphore.h>

#include <cstdio>
#include <cstring>

#include "expect.h"

namespace {

constexpr int kThreads = 20000;
constexpr int kWarmUp = 2000;
constexpr long kGrowthMaxKilobytes = 32 * 1024;

sem_t ended;

void* touch(void* counter) {
  thread_local char scratch[256];
  std::memset(scratch, 1, sizeof scratch);
  ++*static_cast<int*>(counter);
  sem_post(&ended);
  return nullptr;
}

long resident_kilobytes() {
  FILE* status = fopen("/proc/self/status", "r");
  EXPECT(status != nullptr);
  char line[256];
  long kilobytes = 0;
  while (fgets(line, sizeof line, status) != nullptr) {
    if (sscanf(line, "VmRSS: %ld", &kilobytes) == 1) break;
  }
  fclose(status);
  return kilobytes;
}

}  // namespace

int main() {
  sem_init(&ended, 0, 0);
  int counter = 0;
  long after_warm_up = 0;
  for (int i = 0; i < kThreads; ++i) {
    if (i == kWarmUp) after_warm_up = resident_kilobytes();
    pthread_t thread;
    EXPECT(pthread_create(&thread, nullptr, touch, &counter) == 0);
    if (i % 2 == 0) pthread_detach(thread);
    sem_wait(&ended);
    if (i % 2 == 1) pthread_join(thread, nullptr);
  }
  EXPECT(counter == kThreads);
  EXPECT(resident_kilobytes() - after_warm_up < kGrowthMaxKilobytes);
  return finish();
}
