// Robust mutexes: the owner dies, the next one sees EOWNERDEAD, and repairs or not.
#include <pthread.h>
#include <semaphore.h>

#include <cerrno>

#include "expect.h"

namespace {

pthread_mutex_t mutex;
sem_t held;
sem_t may_die;

void init_robust() {
  pthread_mutexattr_t attributes;
  pthread_mutexattr_init(&attributes);
  EXPECT(pthread_mutexattr_setrobust(&attributes, PTHREAD_MUTEX_ROBUST) == 0);
  EXPECT(pthread_mutex_init(&mutex, &attributes) == 0);
  pthread_mutexattr_destroy(&attributes);
}

void* die_as_owner(void*) {
  EXPECT(pthread_mutex_lock(&mutex) == 0);
  sem_post(&held);
  sem_wait(&may_die);
  return nullptr;
}

// Blocked on the mutex while its owner dies.
void* inherit(void*) {
  EXPECT(pthread_mutex_lock(&mutex) == EOWNERDEAD);
  EXPECT(pthread_mutex_consistent(&mutex) == 0);
  EXPECT(pthread_mutex_unlock(&mutex) == 0);
  return nullptr;
}

pthread_t start_owner() {
  pthread_t owner;
  pthread_create(&owner, nullptr, die_as_owner, nullptr);
  sem_wait(&held);
  return owner;
}

void repaired_it_works_again() {
  init_robust();
  const pthread_t owner = start_owner();
  EXPECT(pthread_mutex_trylock(&mutex) == EBUSY);
  sem_post(&may_die);
  pthread_join(owner, nullptr);
  EXPECT(pthread_mutex_trylock(&mutex) == EOWNERDEAD);
  EXPECT(pthread_mutex_consistent(&mutex) == 0);
  EXPECT(pthread_mutex_unlock(&mutex) == 0);
  EXPECT(pthread_mutex_lock(&mutex) == 0);
  EXPECT(pthread_mutex_unlock(&mutex) == 0);
  pthread_mutex_destroy(&mutex);
}

void a_waiter_is_told() {
  init_robust();
  const pthread_t owner = start_owner();
  pthread_t heir;
  pthread_create(&heir, nullptr, inherit, nullptr);
  sem_post(&may_die);
  pthread_join(owner, nullptr);
  pthread_join(heir, nullptr);
  EXPECT(pthread_mutex_lock(&mutex) == 0);
  EXPECT(pthread_mutex_unlock(&mutex) == 0);
  pthread_mutex_destroy(&mutex);
}

void unrepaired_it_is_lost() {
  init_robust();
  const pthread_t owner = start_owner();
  sem_post(&may_die);
  pthread_join(owner, nullptr);
  EXPECT(pthread_mutex_lock(&mutex) == EOWNERDEAD);
  EXPECT(pthread_mutex_unlock(&mutex) == 0);
  EXPECT(pthread_mutex_lock(&mutex) == ENOTRECOVERABLE);
  EXPECT(pthread_mutex_trylock(&mutex) == ENOTRECOVERABLE);
  pthread_mutex_destroy(&mutex);
}

}  // namespace

int main() {
  sem_init(&held, 0, 0);
  sem_init(&may_die, 0, 0);
  repaired_it_works_again();
  a_waiter_is_told();
  unrepaired_it_is_lost();
  return finish();
}
