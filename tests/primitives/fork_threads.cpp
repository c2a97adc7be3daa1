// fork in a program with threads: the child has the calling thread only, continues natively and
// starts threads of its own; pthread_atfork handlers run on both sides; the parent's threads do not
// notice.
#include <dirent.h>
#include <pthread.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <cstdlib>
#include <mutex>
#include <thread>
#include <vector>

#include "expect.h"

namespace {

std::mutex mutex;
std::atomic<int> prepared;
std::atomic<int> in_parent;
std::atomic<int> in_child;

int threads_of_this_process() {
  DIR* tasks = opendir("/proc/self/task");
  EXPECT(tasks != nullptr);
  int count = 0;
  while (const dirent* entry = readdir(tasks)) {
    if (entry->d_name[0] != '.') ++count;
  }
  closedir(tasks);
  return count;
}

int sum_on_threads() {
  int sum = 0;
  std::vector<std::thread> threads;
  for (int i = 1; i <= 3; ++i) {
    threads.emplace_back([&sum, i] {
      std::lock_guard guard(mutex);
      sum += i;
    });
  }
  for (std::thread& thread : threads) thread.join();
  return sum;
}

// The exit code names the step that failed.
[[noreturn]] void live_as_child(pthread_t caller) {
  if (threads_of_this_process() != 1) _exit(10);
  if (!pthread_equal(pthread_self(), caller)) _exit(11);
  if (in_child != 1) _exit(12);
  if (sum_on_threads() != 6) _exit(13);
  _exit(0);
}

void fork_here() {
  const pthread_t caller = pthread_self();
  const pid_t child = fork();
  EXPECT(child >= 0);
  if (child == 0) live_as_child(caller);
  int status = 0;
  EXPECT(waitpid(child, &status, 0) == child);
  EXPECT(WIFEXITED(status));
  EXPECT(WEXITSTATUS(status) == 0);
}

}  // namespace

int main() {
  // Without this a thread in the middle of `mutex` at the time of the fork would leave it locked in
  // the child.
  EXPECT(pthread_atfork(
             [] {
               mutex.lock();
               ++prepared;
             },
             [] {
               ++in_parent;
               mutex.unlock();
             },
             [] {
               ++in_child;
               mutex.unlock();
             }) == 0);
  std::atomic<bool> stop = false;
  long counter = 0;
  std::thread bystander([&] {
    while (!stop) {
      std::lock_guard guard(mutex);
      ++counter;
    }
  });
  fork_here();
  std::thread(fork_here).join();
  stop = true;
  bystander.join();
  EXPECT(prepared == 2);
  EXPECT(in_parent == 2);
  EXPECT(in_child == 0);
  EXPECT(sum_on_threads() == 6);
  return finish();
}
