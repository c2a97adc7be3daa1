// Code after a join depends on the conditions by which the thread reached its end.
#include <pthread.h>

#include <cassert>

namespace {

volatile int decides = 1, noise = 2, other = 0, target = 0;

void* work(void*) {
  other = noise;       // out
  if (decides != 0) {  // in
    pthread_exit(nullptr);
  }
  return nullptr;
}

}  // namespace

int main() {
  pthread_t worker;
  pthread_create(&worker, nullptr, work, nullptr);
  pthread_join(worker, nullptr);
  target = 1;           // in
  assert(target == 0);  // in
}
