// Loader. A bubble sort with one thread for each pass. A pass starts the next one when it is two
// steps ahead, and both work on the same array: the next pass must stay behind, but no synchronization
// enforces that. If the scheduler lets it overtake the pass that started it, it finds elements that
// have not moved yet, ends early, and the array stays unsorted. Source: Loader of the IBM
// ConTest benchmark (PECAN Table 1), its "initialization-sleep" pattern: a sleep kept the lead.
// Repair: a pass publishes its position and the next one waits for it.
//
// usage: kernel [elements] [arrays]
#include <algorithm>
#include <cassert>
#include <cstdio>
#include <cstdlib>
#include <thread>
#include <utility>
#include <vector>

namespace {

constexpr std::size_t kLead = 2;  // steps a pass makes before it starts the next one

// Sorts in place; the pass that ends at `last` leaves the largest of the elements up to there.
class Sorter {
 public:
  explicit Sorter(std::vector<int>& array) : array_(array) {}

  void sort() {
    if (array_.size() < 2) return;
    std::thread first([this] { run_pass(array_.size() - 1); });
    first.join();
  }

 private:
  void run_pass(std::size_t last) {
    std::thread next;
    for (std::size_t i = 0; i < last; ++i) {
      bubble(i);
      if (i + 1 == kLead) next = std::thread([this, last] { run_pass(last - 1); });
    }
    if (next.joinable()) next.join();
  }

  void bubble(std::size_t i) {
    const int left = array_[i];
    const int right = array_[i + 1];
    if (left <= right) return;
    array_[i] = right;
    array_[i + 1] = left;
  }

  std::vector<int>& array_;
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
