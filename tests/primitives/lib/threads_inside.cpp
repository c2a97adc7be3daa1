// A library that starts threads of its own, has a thread_local with a destructor and a contended
// static.
#include "threads_inside.h"

#include <mutex>
#include <string>
#include <thread>
#include <vector>

namespace {

std::mutex mutex;
int counter;
int destroyed;

struct Local {
  std::string text = "thread-local text, too long to be kept inside the string object";
  ~Local() {
    std::lock_guard guard(mutex);
    ++destroyed;
  }
};

thread_local Local local;
thread_local int calls_of_thread;

const std::vector<int>& table() {
  static const std::vector<int> built = [] {
    std::this_thread::yield();
    return std::vector<int>{1, 2, 3};
  }();
  return built;
}

}  // namespace

int library_count(int threads, int rounds) {
  std::vector<std::thread> workers;
  for (int i = 0; i < threads; ++i) {
    workers.emplace_back([rounds] {
      for (int round = 0; round < rounds; ++round) {
        std::lock_guard guard(mutex);
        counter += local.text.empty() ? 0 : table()[0];
      }
    });
  }
  for (std::thread& worker : workers) worker.join();
  return counter;
}

int library_calls_of_this_thread() {
  static_cast<void>(local.text.size());
  return ++calls_of_thread;
}

int library_locals_destroyed() {
  std::lock_guard guard(mutex);
  return destroyed;
}
