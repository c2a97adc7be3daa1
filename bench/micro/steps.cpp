// N steps, each one access to shared memory by one thread while another waits.
#include <pthread.h>

#include <cstdlib>

namespace {
pthread_mutex_t gate = PTHREAD_MUTEX_INITIALIZER;

void* wait_at_gate(void*) {
  pthread_mutex_lock(&gate);
  pthread_mutex_unlock(&gate);
  return nullptr;
}
}  // namespace

volatile long shared_counter;

int main(int count, char** arguments) {
  const long steps = count > 1 ? std::atol(arguments[1]) : 1000;
  pthread_mutex_lock(&gate);
  pthread_t other;
  pthread_create(&other, nullptr, wait_at_gate, nullptr);
  for (long i = 0; i < steps; ++i) shared_counter = i;
  pthread_mutex_unlock(&gate);
  pthread_join(other, nullptr);
}
