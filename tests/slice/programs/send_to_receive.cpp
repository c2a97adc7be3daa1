// Code after a wait depends on the thread that posted, and on the conditions by which it posted.
#include <semaphore.h>

#include <cassert>
#include <thread>

namespace {
sem_t ready;
volatile int decides = 1, noise = 2, target = 0, other = 0;
}  // namespace

int main() {
  sem_init(&ready, 0, 0);
  std::thread sender([] {
    other = noise;       // out
    if (decides != 0) {  // in
      sem_post(&ready);
    }
  });
  sem_wait(&ready);
  target = 1;           // in
  assert(target == 0);  // in
  sender.join();
}
