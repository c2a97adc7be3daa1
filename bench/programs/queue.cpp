// A bounded queue with heavy locking: two producers and two consumers, one mutex, two condition
// variables. usage: queue [items]
#include <condition_variable>
#include <cstdint>
#include <cstdio>
#include <mutex>
#include <thread>
#include <vector>

#include "size.h"

namespace {

class BoundedQueue {
 public:
  explicit BoundedQueue(std::size_t capacity) : ring_(capacity) {}

  void put(std::uint64_t item) {
    std::unique_lock lock(mutex_);
    not_full_.wait(lock, [&] { return count_ < ring_.size(); });
    ring_[(first_ + count_) % ring_.size()] = item;
    ++count_;
    lock.unlock();
    not_empty_.notify_one();
  }

  std::uint64_t take() {
    std::unique_lock lock(mutex_);
    not_empty_.wait(lock, [&] { return count_ > 0; });
    const std::uint64_t item = ring_[first_];
    first_ = (first_ + 1) % ring_.size();
    --count_;
    lock.unlock();
    not_full_.notify_one();
    return item;
  }

 private:
  std::mutex mutex_;
  std::condition_variable not_full_;
  std::condition_variable not_empty_;
  std::vector<std::uint64_t> ring_;
  std::size_t first_ = 0;
  std::size_t count_ = 0;
};

}  // namespace

int main(int argc, char** argv) {
  const std::size_t items = size_argument(argc, argv, 3000000) / 2;
  BoundedQueue queue(64);
  std::uint64_t sums[2] = {};
  {
    std::vector<std::jthread> threads;
    for (std::size_t i = 0; i < 2; ++i) {
      threads.emplace_back([&, i] {
        for (std::size_t item = 0; item < items; ++item) queue.put(2 * item + i);
      });
      threads.emplace_back([&, i] {
        std::uint64_t sum = 0;
        for (std::size_t taken = 0; taken < items; ++taken) {
          const std::uint64_t item = queue.take();
          sum += item * item;
        }
        sums[i] = sum;
      });
    }
  }
  std::printf("%016llx\n", static_cast<unsigned long long>(sums[0] + sums[1]));
  return 0;
}
