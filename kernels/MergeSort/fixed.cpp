// MergeSort, repaired: the query reserves the threads in the same critical section.
//
// usage: fixed [threads allowed] [numbers]
#include <algorithm>
#include <cassert>
#include <cstdio>
#include <cstdlib>
#include <mutex>
#include <stdexcept>
#include <thread>
#include <vector>

namespace {

class ThreadCounter {
 public:
  explicit ThreadCounter(std::size_t limit) : limit_(static_cast<long>(limit)) {}

  // The number of threads that a sort may start for its halves: 0, 1 or 2. They count as alive from now on.
  int allocate_threads() {
    std::lock_guard guard(mutex_);
    const long available = limit_ - alive_;
    if (available < 0) throw std::logic_error("more threads alive than allowed");
    const long allocated = std::min(available, 2L);
    alive_ += allocated;
    return static_cast<int>(allocated);
  }

  void thread_ended() {
    std::lock_guard guard(mutex_);
    --alive_;
  }

  long alive() {
    std::lock_guard guard(mutex_);
    return alive_;
  }

 private:
  std::mutex mutex_;
  const long limit_;
  long alive_ = 1;  // the calling thread
};

class MergeSort {
 public:
  MergeSort(ThreadCounter& counter, std::vector<int>& numbers) : counter_(counter), numbers_(numbers) {}

  void sort() {
    if (numbers_.size() < 2) return;
    const auto middle = numbers_.begin() + static_cast<std::ptrdiff_t>(numbers_.size() / 2);
    std::vector<int> left(numbers_.begin(), middle);
    std::vector<int> right(middle, numbers_.end());
    sort_halves(left, right);
    std::merge(left.begin(), left.end(), right.begin(), right.end(), numbers_.begin());
  }

 private:
  void sort_halves(std::vector<int>& left, std::vector<int>& right) {
    const int threads = counter_.allocate_threads();
    std::thread left_thread;
    std::thread right_thread;
    if (threads >= 1) left_thread = start(left);
    if (threads >= 2) right_thread = start(right);
    if (threads < 1) MergeSort(counter_, left).sort();
    if (threads < 2) MergeSort(counter_, right).sort();
    end(left_thread);
    end(right_thread);
  }

  std::thread start(std::vector<int>& half) {
    return std::thread([this, &half] { MergeSort(counter_, half).sort(); });
  }

  void end(std::thread& thread) {
    if (!thread.joinable()) return;
    thread.join();
    counter_.thread_ended();
  }

  ThreadCounter& counter_;
  std::vector<int>& numbers_;
};

std::vector<int> shuffled(std::size_t count) {
  std::vector<int> numbers;
  unsigned next = 12345;
  for (std::size_t i = 0; i < count; ++i) {
    next = next * 1103515245 + 12345;
    numbers.push_back(static_cast<int>(next / 65536 % 1000));
  }
  return numbers;
}

std::size_t argument(int argc, char** argv, int index, std::size_t otherwise) {
  return argc > index ? std::strtoul(argv[index], nullptr, 10) : otherwise;
}

}  // namespace

int main(int argc, char** argv) {
  const std::size_t limit = argument(argc, argv, 1, 2);
  const std::size_t count = argument(argc, argv, 2, 4);

  std::vector<int> numbers = shuffled(count);
  ThreadCounter counter(limit);
  MergeSort(counter, numbers).sort();

  assert(std::is_sorted(numbers.begin(), numbers.end()));
  assert(counter.alive() == 1);
  std::puts("sorted");
  return 0;
}
