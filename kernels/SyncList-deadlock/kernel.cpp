// SyncList-deadlock. add_all(other) of a synchronizedList holds the lock of its own list and reads
// the elements of the other one, which takes the other's lock. Two lists that are added to each
// other at the same time deadlock. Source: Collections.synchronizedList backed by an ArrayList
// (BTrigger Table 1, synchronizedList deadlock1: a stall). Repair: the elements are fetched before
// the own lock is taken.
//
// usage: kernel [lists] [rounds per list]
#include <algorithm>
#include <cassert>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

namespace {

// Every function is one critical section; the lock is re-entrant, like a Java monitor.
class SynchronizedList {
 public:
  void add(std::string element) {
    std::lock_guard guard(mutex_);
    elements_.push_back(std::move(element));
  }

  std::vector<std::string> to_array() const {
    std::lock_guard guard(mutex_);
    return elements_;
  }

  void add_all(const SynchronizedList& other) {
    std::lock_guard guard(mutex_);
    const std::vector<std::string> added = other.to_array();
    elements_.insert(elements_.end(), added.begin(), added.end());
  }

  void remove_duplicates() {
    std::lock_guard guard(mutex_);
    std::sort(elements_.begin(), elements_.end());
    elements_.erase(std::unique(elements_.begin(), elements_.end()), elements_.end());
  }

  bool contains(const std::string& element) const {
    std::lock_guard guard(mutex_);
    return std::find(elements_.begin(), elements_.end(), element) != elements_.end();
  }

  std::size_t size() const {
    std::lock_guard guard(mutex_);
    return elements_.size();
  }

 private:
  mutable std::recursive_mutex mutex_;
  std::vector<std::string> elements_;
};

std::string title(std::size_t owner, std::size_t round) {
  return "title " + std::to_string(owner) + "." + std::to_string(round);
}

// A user's play list: the user's own titles, and those of the neighbour.
class PlayList {
 public:
  explicit PlayList(std::size_t owner) : owner_(owner) {}

  void share_with(const PlayList& neighbour, std::size_t rounds) {
    for (std::size_t i = 0; i < rounds; ++i) {
      titles_.add(title(owner_, i));
      titles_.add_all(neighbour.titles_);
      titles_.remove_duplicates();
    }
  }

  bool contains(const std::string& wanted) const { return titles_.contains(wanted); }
  std::size_t size() const { return titles_.size(); }

 private:
  const std::size_t owner_;
  SynchronizedList titles_;
};

std::size_t argument(int argc, char** argv, int index, std::size_t otherwise) {
  return argc > index ? std::strtoul(argv[index], nullptr, 10) : otherwise;
}

}  // namespace

int main(int argc, char** argv) {
  const std::size_t list_count = argument(argc, argv, 1, 2);
  const std::size_t rounds = argument(argc, argv, 2, 1);

  std::vector<std::unique_ptr<PlayList>> lists;
  for (std::size_t i = 0; i < list_count; ++i) lists.push_back(std::make_unique<PlayList>(i));
  std::vector<std::thread> threads;
  for (std::size_t i = 0; i < list_count; ++i) {
    threads.emplace_back([&lists, i, rounds] { lists[i]->share_with(*lists[(i + 1) % lists.size()], rounds); });
  }
  for (std::thread& thread : threads) thread.join();

  for (std::size_t i = 0; i < list_count; ++i) {
    for (std::size_t round = 0; round < rounds; ++round) assert(lists[i]->contains(title(i, round)));
    assert(lists[i]->size() <= list_count * rounds);
  }
  std::puts("shared");
  return 0;
}
