// A mutex that is destroyed while another thread still uses it. Semaphores give the same order in every run, controlled
// or native.
//
// usage: order_on_primitives held|used
// held: the mutex is destroyed between the other thread's lock and unlock; used: before its lock.
#include <pthread.h>
#include <semaphore.h>

#include <cstring>

namespace {

// On separate cache lines.
alignas(64) pthread_mutex_t mutex;
alignas(64) sem_t reached;
alignas(64) sem_t destroyed;

void* hold(void*) {
  pthread_mutex_lock(&mutex);  // taken
  sem_post(&reached);
  sem_wait(&destroyed);
  pthread_mutex_unlock(&mutex);  // given back
  return nullptr;
}

void* use(void*) {
  sem_wait(&destroyed);
  pthread_mutex_lock(&mutex);  // too late
  return nullptr;
}

}  // namespace

int main(int, char** arguments) {
  const bool held = std::strcmp(arguments[1], "held") == 0;
  pthread_mutex_init(&mutex, nullptr);  // made
  sem_init(&reached, 0, 0);
  sem_init(&destroyed, 0, 0);
  pthread_t other;
  pthread_create(&other, nullptr, held ? hold : use, nullptr);
  if (held) sem_wait(&reached);
  pthread_mutex_destroy(&mutex);  // destroyed
  sem_post(&destroyed);
  pthread_join(other, nullptr);
}
