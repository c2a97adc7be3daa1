// std::jthread with its stop token, and what <future> builds on threads.
#include <atomic>
#include <condition_variable>
#include <future>
#include <mutex>
#include <numeric>
#include <stdexcept>
#include <stop_token>
#include <thread>
#include <vector>

#include "expect.h"

namespace {

void a_jthread_stops_when_it_goes_out_of_scope() {
  std::atomic<int> rounds = 0;
  {
    std::jthread thread([&](const std::stop_token& stop) {
      while (!stop.stop_requested()) {
        ++rounds;
        std::this_thread::yield();
      }
    });
    while (rounds < 3) std::this_thread::yield();
  }
  EXPECT(rounds >= 3);
}

void a_stop_wakes_a_waiting_thread() {
  std::mutex mutex;
  std::condition_variable_any changed;
  bool stopped = false;
  std::atomic<int> callbacks = 0;
  {
    std::jthread thread([&](const std::stop_token& stop) {
      std::stop_callback callback(stop, [&] { ++callbacks; });
      std::unique_lock lock(mutex);
      EXPECT(!changed.wait(lock, stop, [] { return false; }));
      stopped = true;
    });
    EXPECT(thread.request_stop());
    EXPECT(!thread.request_stop());
  }
  EXPECT(stopped);
  EXPECT(callbacks == 1);
}

void futures_carry_values_and_exceptions() {
  std::vector<std::future<int>> sums;
  for (int i = 0; i < 4; ++i) {
    sums.push_back(std::async(std::launch::async, [i] {
      std::vector<int> values(100);
      std::iota(values.begin(), values.end(), i);
      return std::accumulate(values.begin(), values.end(), 0);
    }));
  }
  for (int i = 0; i < 4; ++i) EXPECT(sums[i].get() == 4950 + 100 * i);

  auto deferred = std::async(std::launch::deferred, [] { return std::this_thread::get_id(); });
  EXPECT(deferred.get() == std::this_thread::get_id());

  auto failing = std::async(std::launch::async, []() -> int { throw std::runtime_error("no"); });
  bool caught = false;
  try {
    failing.get();
  } catch (const std::runtime_error&) {
    caught = true;
  }
  EXPECT(caught);
}

void promises_and_tasks_cross_threads() {
  std::promise<int> promise;
  std::shared_future<int> shared = promise.get_future().share();
  std::vector<std::jthread> readers;
  std::atomic<int> sum = 0;
  for (int i = 0; i < 3; ++i) readers.emplace_back([shared, &sum] { sum += shared.get(); });
  EXPECT(shared.wait_for(std::chrono::milliseconds(2)) == std::future_status::timeout);
  promise.set_value(7);
  readers.clear();
  EXPECT(sum == 21);

  std::packaged_task<int(int)> task([](int value) { return value + 1; });
  std::future<int> result = task.get_future();
  std::jthread runner(std::move(task), 41);
  EXPECT(result.get() == 42);
}

}  // namespace

int main() {
  a_jthread_stops_when_it_goes_out_of_scope();
  a_stop_wakes_a_waiting_thread();
  futures_carry_values_and_exceptions();
  promises_and_tasks_cross_threads();
  return finish();
}
