// Common code of the programs in this folder, each of which has one sharing pattern of PARSEC. All take the number of
// threads and a size on the command line, and print one number that does not depend on the schedule.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <cstdlib>
#include <deque>
#include <mutex>
#include <optional>
#include <thread>
#include <vector>

inline std::size_t argument(int argc, char** argv, int index, std::size_t otherwise) {
  return argc > index ? std::strtoul(argv[index], nullptr, 10) : otherwise;
}

class Generator {
 public:
  explicit Generator(std::uint64_t seed) : state_(seed) {}
  std::uint64_t next() {
    state_ = state_ * 6364136223846793005u + 1442695040888963407u;
    return state_ >> 33;
  }
  double unit() { return static_cast<double>(next()) / 2147483648.0; }

 private:
  std::uint64_t state_;
};

template <typename Work>
void run_threads(std::size_t count, Work work) {
  std::vector<std::thread> threads;
  for (std::size_t i = 0; i < count; ++i) threads.emplace_back([=] { work(i); });
  for (std::thread& thread : threads) thread.join();
}

// A barrier after every step.
class Meeting {
 public:
  explicit Meeting(std::size_t count) : count_(count) {}
  void arrive() {
    std::unique_lock guard(mutex_);
    const std::size_t round = round_;
    if (++arrived_ == count_) {
      arrived_ = 0;
      ++round_;
      all_here_.notify_all();
      return;
    }
    all_here_.wait(guard, [&] { return round_ != round; });
  }

 private:
  std::mutex mutex_;
  std::condition_variable all_here_;
  const std::size_t count_;
  std::size_t arrived_ = 0;
  std::size_t round_ = 0;
};

// A queue between the stages of a pipeline. It ends for its readers when all writers have left.
template <typename Item>
class Channel {
 public:
  Channel(std::size_t capacity, std::size_t writers) : capacity_(capacity), writers_(writers) {}

  void put(Item item) {
    std::unique_lock guard(mutex_);
    changed_.wait(guard, [&] { return items_.size() < capacity_; });
    items_.push_back(std::move(item));
    changed_.notify_all();
  }

  std::optional<Item> take() {
    std::unique_lock guard(mutex_);
    changed_.wait(guard, [&] { return !items_.empty() || writers_ == 0; });
    if (items_.empty()) return std::nullopt;
    Item item = std::move(items_.front());
    items_.pop_front();
    changed_.notify_all();
    return item;
  }

  void leave() {
    std::lock_guard guard(mutex_);
    --writers_;
    changed_.notify_all();
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<Item> items_;
  const std::size_t capacity_;
  std::size_t writers_;
};
