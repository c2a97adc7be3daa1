// POSIX semaphores, unnamed and named; trying, timed and clock waits.
#include <fcntl.h>
#include <semaphore.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <ctime>
#include <string>
#include <thread>
#include <vector>

#include "expect.h"

namespace {

timespec soon(clockid_t clock) {
  timespec time;
  clock_gettime(clock, &time);
  time.tv_nsec += 5000000;
  if (time.tv_nsec >= 1000000000) {
    time.tv_nsec -= 1000000000;
    ++time.tv_sec;
  }
  return time;
}

void never_more_inside_than_the_count(sem_t* semaphore) {
  std::atomic<int> inside = 0;
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([&] {
      for (int round = 0; round < 25; ++round) {
        EXPECT(sem_wait(semaphore) == 0);
        EXPECT(++inside <= 2);
        std::this_thread::yield();
        --inside;
        EXPECT(sem_post(semaphore) == 0);
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  int value = -1;
  EXPECT(sem_getvalue(semaphore, &value) == 0);
  EXPECT(value == 2);
}

void an_empty_one_refuses_or_times_out() {
  sem_t semaphore;
  EXPECT(sem_init(&semaphore, 0, 0) == 0);
  EXPECT(sem_trywait(&semaphore) == -1 && errno == EAGAIN);
  const timespec real = soon(CLOCK_REALTIME);
  EXPECT(sem_timedwait(&semaphore, &real) == -1 && errno == ETIMEDOUT);
  const timespec monotonic = soon(CLOCK_MONOTONIC);
  EXPECT(sem_clockwait(&semaphore, CLOCK_MONOTONIC, &monotonic) == -1 && errno == ETIMEDOUT);
  EXPECT(sem_post(&semaphore) == 0);
  EXPECT(sem_timedwait(&semaphore, &real) == 0);
  EXPECT(sem_destroy(&semaphore) == 0);
}

void two_threads_take_turns() {
  sem_t ping;
  sem_t pong;
  sem_init(&ping, 0, 0);
  sem_init(&pong, 0, 0);
  int counter = 0;
  std::thread other([&] {
    for (int i = 0; i < 50; ++i) {
      sem_wait(&ping);
      EXPECT(counter == 2 * i + 1);
      ++counter;
      sem_post(&pong);
    }
  });
  for (int i = 0; i < 50; ++i) {
    ++counter;
    sem_post(&ping);
    sem_wait(&pong);
  }
  other.join();
  EXPECT(counter == 100);
  sem_destroy(&ping);
  sem_destroy(&pong);
}

void named_ones_are_shared_by_name() {
  const std::string name = "/heddle_primitive_" + std::to_string(getpid());
  sem_unlink(name.c_str());
  sem_t* semaphore = sem_open(name.c_str(), O_CREAT | O_EXCL, 0600, 2);
  EXPECT(semaphore != SEM_FAILED);
  EXPECT(sem_open(name.c_str(), O_CREAT | O_EXCL, 0600, 2) == SEM_FAILED && errno == EEXIST);
  sem_t* same = sem_open(name.c_str(), 0);
  EXPECT(same == semaphore);
  never_more_inside_than_the_count(semaphore);
  EXPECT(sem_close(same) == 0);
  EXPECT(sem_close(semaphore) == 0);
  EXPECT(sem_unlink(name.c_str()) == 0);
}

}  // namespace

int main() {
  sem_t semaphore;
  EXPECT(sem_init(&semaphore, 0, 2) == 0);
  never_more_inside_than_the_count(&semaphore);
  EXPECT(sem_destroy(&semaphore) == 0);
  an_empty_one_refuses_or_times_out();
  two_threads_take_turns();
  named_ones_are_shared_by_name();
  return finish();
}
