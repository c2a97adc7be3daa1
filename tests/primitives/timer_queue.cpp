// A timer thread on a timed condition wait: callbacks are due in the order of their deadlines, none
// early, and a new earliest deadline cuts the wait short.
#include <chrono>
#include <condition_variable>
#include <map>
#include <mutex>
#include <thread>
#include <vector>

#include "expect.h"

namespace {

using Clock = std::chrono::steady_clock;
using namespace std::chrono_literals;

class TimerQueue {
 public:
  void add(Clock::time_point deadline, int id) {
    std::lock_guard guard(mutex_);
    pending_.emplace(deadline, id);
    changed_.notify_one();
  }

  // Fires all that was added, until `count` have fired.
  std::vector<int> run(std::size_t count) {
    std::vector<int> fired;
    std::unique_lock lock(mutex_);
    while (fired.size() < count) {
      if (pending_.empty()) {
        changed_.wait(lock);
        continue;
      }
      const auto [deadline, id] = *pending_.begin();
      if (Clock::now() < deadline) {
        changed_.wait_until(lock, deadline);
        continue;
      }
      fired.push_back(id);
      pending_.erase(pending_.begin());
    }
    return fired;
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  std::multimap<Clock::time_point, int> pending_;
};

void timers_fire_in_order() {
  TimerQueue queue;
  const Clock::time_point begin = Clock::now();
  for (int id : {3, 1, 4, 0, 2}) queue.add(begin + id * 2ms, id);
  std::vector<int> fired;
  std::thread timer([&] { fired = queue.run(5); });
  timer.join();
  EXPECT((fired == std::vector<int>{0, 1, 2, 3, 4}));
  EXPECT(Clock::now() - begin >= 8ms);
}

void all_timers_fire_when_added_meanwhile() {
  TimerQueue queue;
  std::vector<int> fired;
  std::thread timer([&] { fired = queue.run(4); });
  const Clock::time_point begin = Clock::now();
  for (int id : {3, 2, 1, 0}) queue.add(begin + 1ms * id, id);
  timer.join();
  EXPECT(fired.size() == 4);
}

}  // namespace

int main() {
  timers_fire_in_order();
  all_timers_fire_when_added_meanwhile();
  return finish();
}
