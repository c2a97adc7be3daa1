// N rounds in which two threads yield to each other: 2 N switches.
#include <pthread.h>
#include <sched.h>

#include <cstdlib>

namespace {
long rounds;

void* yield_on(void*) {
  for (long i = 0; i < rounds; ++i) sched_yield();
  return nullptr;
}
}  // namespace

int main(int count, char** arguments) {
  rounds = count > 1 ? std::atol(arguments[1]) : 1000;
  pthread_t other;
  pthread_create(&other, nullptr, yield_on, nullptr);
  yield_on(nullptr);
  pthread_join(other, nullptr);
}
