// Loader, repaired: a pass publishes its position, and the next one waits until it is two steps ahead.
//
// usage: fixed [elements] [arrays]
#include <algorithm>
#include <cassert>
#include <condition_variable>
#include <cstdio>
#include <cstdlib>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

namespace {

constexpr std::size_t kLead = 2;  // steps a pass makes before it starts the next one

// Sorts in place; the pass that ends at `last` leaves the largest of the elements up to there.
class Sorter {
 public:
  explicit Sorter(std::vector<int>& array) : array_(array), steps_(array.size() + 1) {}

  void sort() {
    if (array_.size() < 2) return;
    std::thread first([this] { run_pass(array_.size() - 1); });
    first.join();
  }

 private:
  void run_pass(std::size_t last) {
    std::thread next;
    for (std::size_t i = 0; i < last; ++i) {
      wait_for_lead(last, i);
      bubble(i);
      step_done(last, i);
      if (i + 1 == kLead) next = std::thread([this, last] { run_pass(last - 1); });
    }
    if (next.joinable()) next.join();
  }

  // Two steps access the same element unless their distance is at least two.
  void wait_for_lead(std::size_t last, std::size_t i) {
    std::unique_lock guard(mutex_);
    const std::size_t leader = last + 1;
    stepped_.wait(guard, [&] { return leader == array_.size() || steps_[leader] >= i + kLead; });
  }

  void step_done(std::size_t last, std::size_t i) {
    std::lock_guard guard(mutex_);
    steps_[last] = i + 1;
    stepped_.notify_all();
  }

  void bubble(std::size_t i) {
    const int left = array_[i];
    const int right = array_[i + 1];
    if (left <= right) return;
    array_[i] = right;
    array_[i + 1] = left;
  }

  std::vector<int>& array_;
  std::mutex mutex_;
  std::condition_variable stepped_;
  std::vector<std::size_t> steps_;  // by the `last` of the pass
};

// The worst case: every element has to move.
std::vector<int> load(std::size_t length) {
  std::vector<int> array;
  for (std::size_t i = 0; i < length; ++i) array.push_back(static_cast<int>(length - i));
  return array;
}

std::size_t argument(int argc, char** argv, int index, std::size_t otherwise) {
  return argc > index ? std::strtoul(argv[index], nullptr, 10) : otherwise;
}

}  // namespace

int main(int argc, char** argv) {
  const std::size_t elements = argument(argc, argv, 1, 4);
  const std::size_t arrays = argument(argc, argv, 2, 1);

  for (std::size_t i = 0; i < arrays; ++i) {
    std::vector<int> array = load(elements);
    Sorter(array).sort();
    assert(std::is_sorted(array.begin(), array.end()));
  }
  std::puts("sorted");
  return 0;
}
