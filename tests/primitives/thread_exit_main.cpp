// pthread_exit from main: the process lives on until its last thread has ended, and then ends with
// exit code 0.
#include <pthread.h>
#include <semaphore.h>

#include "expect.h"

namespace {

sem_t main_is_leaving;
pthread_t main_thread;

struct OnLeavingMain {
  ~OnLeavingMain() { sem_post(&main_is_leaving); }
};

void* outlive_main(void*) {
  sem_wait(&main_is_leaving);
  EXPECT(pthread_join(main_thread, nullptr) == 0);
  finish();
  return nullptr;
}

}  // namespace

int main() {
  sem_init(&main_is_leaving, 0, 0);
  main_thread = pthread_self();
  pthread_t thread;
  pthread_create(&thread, nullptr, outlive_main, nullptr);
  pthread_detach(thread);
  OnLeavingMain on_leaving;
  pthread_exit(nullptr);
}
