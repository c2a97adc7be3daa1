// HashSet, repaired: add_all holds the lock of the set that it iterates over.
//
// usage: fixed [changers] [rounds] [elements]
#include <cassert>
#include <cstdio>
#include <cstdlib>
#include <deque>
#include <memory>
#include <mutex>
#include <stdexcept>
#include <thread>
#include <vector>

namespace {

// Chained buckets. A removed entry keeps its link and lives as long as the set, like an object that an
// iterator keeps alive in a garbage-collected heap.
class HashSet {
  struct Entry {
    int key;
    Entry* next;
  };

 public:
  // Fails fast: a change that the iterator did not make itself is an error.
  class Iterator {
   public:
    explicit Iterator(const HashSet& set) : set_(set), expected_changes_(set.changes_) { advance_to_entry(); }

    bool has_next() const { return entry_ != nullptr; }

    int next() {
      if (set_.changes_ != expected_changes_) throw std::runtime_error("concurrent modification");
      if (entry_ == nullptr) throw std::out_of_range("no such element");
      const int key = entry_->key;
      entry_ = entry_->next;
      advance_to_entry();
      return key;
    }

   private:
    void advance_to_entry() {
      while (entry_ == nullptr && bucket_ < set_.buckets_.size()) entry_ = set_.buckets_[bucket_++];
    }

    const HashSet& set_;
    const std::size_t expected_changes_;
    std::size_t bucket_ = 0;
    const Entry* entry_ = nullptr;
  };

  bool add(int key) {
    for (Entry* entry = bucket(key); entry != nullptr; entry = entry->next) {
      if (entry->key == key) return false;
    }
    bucket(key) = &entries_.emplace_back(Entry{key, bucket(key)});
    ++size_;
    ++changes_;
    return true;
  }

  bool remove(int key) {
    for (Entry** link = &bucket(key); *link != nullptr; link = &(*link)->next) {
      if ((*link)->key != key) continue;
      *link = (*link)->next;
      --size_;
      ++changes_;
      return true;
    }
    return false;
  }

  std::size_t size() const { return size_; }

 private:
  Entry*& bucket(int key) { return buckets_[static_cast<std::size_t>(key) % buckets_.size()]; }

  std::vector<Entry*> buckets_ = std::vector<Entry*>(8);
  std::deque<Entry> entries_;
  std::size_t size_ = 0;
  std::size_t changes_ = 0;
};

class SynchronizedSet {
 public:
  bool add(int key) {
    std::lock_guard guard(mutex_);
    return set_.add(key);
  }

  bool remove(int key) {
    std::lock_guard guard(mutex_);
    return set_.remove(key);
  }

  void add_all(SynchronizedSet& other) {
    std::scoped_lock guard(mutex_, other.mutex_);
    for (HashSet::Iterator i(other.set_); i.has_next();) set_.add(i.next());
  }

  std::size_t size() {
    std::lock_guard guard(mutex_);
    return set_.size();
  }

 private:
  std::mutex mutex_;
  HashSet set_;
};

std::size_t argument(int argc, char** argv, int index, std::size_t otherwise) {
  return argc > index ? std::strtoul(argv[index], nullptr, 10) : otherwise;
}

}  // namespace

int main(int argc, char** argv) {
  const std::size_t changers = argument(argc, argv, 1, 1);
  const std::size_t rounds = argument(argc, argv, 2, 1);
  const int elements = static_cast<int>(argument(argc, argv, 3, 2));

  SynchronizedSet source;
  for (int i = 0; i < elements; ++i) source.add(i);
  std::vector<std::thread> threads;
  threads.emplace_back([&] {
    for (std::size_t i = 0; i < rounds; ++i) {
      SynchronizedSet copy;
      copy.add_all(source);
      assert(copy.size() <= static_cast<std::size_t>(elements) + changers);
    }
  });
  for (std::size_t changer = 0; changer < changers; ++changer) {
    threads.emplace_back([&source, rounds, key = elements + static_cast<int>(changer)] {
      for (std::size_t i = 0; i < rounds; ++i) {
        const bool added = source.add(key);
        const bool removed = source.remove(key);
        assert(added && removed);
      }
    });
  }
  for (std::thread& thread : threads) thread.join();

  assert(source.size() == static_cast<std::size_t>(elements));
  std::puts("copied");
  return 0;
}
