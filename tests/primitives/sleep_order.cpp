// Several threads asleep at once: none wakes before its time. With --expect-order they also wake in
// the order of their deadlines, which only holds when a woken thread runs at once.
#include <chrono>
#include <cstring>
#include <mutex>
#include <thread>
#include <vector>

#include "expect.h"

int main(int argc, char** argv) {
  using namespace std::chrono_literals;
  using Clock = std::chrono::steady_clock;
  const bool is_ordered = argc > 1 && std::strcmp(argv[1], "--expect-order") == 0;
  constexpr std::chrono::milliseconds kUnit = 10ms;

  std::mutex mutex;
  std::vector<int> woken;
  std::vector<std::thread> threads;
  const Clock::time_point begin = Clock::now() + 10 * kUnit;
  for (int place : {4, 1, 3, 5, 2}) {
    threads.emplace_back([&, place] {
      const Clock::time_point deadline = begin + place * kUnit;
      std::this_thread::sleep_until(deadline);
      EXPECT(Clock::now() >= deadline);
      std::lock_guard guard(mutex);
      woken.push_back(place);
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT(woken.size() == 5);
  if (is_ordered) EXPECT((woken == std::vector<int>{1, 2, 3, 4, 5}));
  return finish();
}
