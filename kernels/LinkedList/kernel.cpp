// LinkedList. add_all(other) reads the size of the other list, then takes that many elements from
// an iterator over it. The other list is a synchronizedList: its size() is a critical section, its
// iterator takes no lock, and the lock is not held from the one to the other. If an element is
// removed in between, the iterator reaches the end (or detects the change) and throws. Source:
// java.util.LinkedList of JDK 1.4.2 behind Collections.synchronizedList (LEAN Table 1, the
// "not-atomic bug" with 450 threads; PECAN Table 1). Repair: add_all holds the other list's lock
// throughout.
//
// usage: kernel [threads, the last one changes the list] [rounds per thread] [elements]
#include <cassert>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <mutex>
#include <stdexcept>
#include <thread>
#include <vector>

namespace {

class Iterator {
 public:
  virtual ~Iterator() = default;
  virtual int next() = 0;
};

class Collection {
 public:
  virtual ~Collection() = default;
  virtual std::size_t size() const = 0;
  virtual std::unique_ptr<Iterator> iterator() const = 0;
};

// A ring of entries around a header. Not synchronized. Entries live as long as the list, like objects in a
// garbage-collected heap that are still referenced.
class LinkedList : public Collection {
 public:
  LinkedList() { header_.next = header_.previous = &header_; }

  std::size_t size() const override { return size_; }
  std::unique_ptr<Iterator> iterator() const override { return std::make_unique<Walk>(*this); }

  void add(int element) {
    ++mod_count_;
    append(element);
    ++size_;
  }

  void add_all(const Collection& other) {
    const std::size_t count = other.size();
    if (count == 0) return;
    ++mod_count_;
    std::unique_ptr<Iterator> it = other.iterator();
    for (std::size_t i = 0; i < count; ++i) append(it->next());
    size_ += count;
  }

  void remove_last() {
    if (size_ == 0) throw std::out_of_range("no such element");
    ++mod_count_;
    Entry* const last = header_.previous;
    last->previous->next = &header_;
    header_.previous = last->previous;
    --size_;
  }

 private:
  struct Entry {
    int element;
    Entry* next;
    Entry* previous;
  };

  class Walk : public Iterator {
   public:
    explicit Walk(const LinkedList& list)
        : list_(list), expected_mod_count_(list.mod_count_), next_(list.header_.next) {}

    int next() override {
      if (list_.mod_count_ != expected_mod_count_) throw std::runtime_error("list changed under its iterator");
      if (index_ == list_.size_) throw std::out_of_range("no such element");
      const int element = next_->element;
      next_ = next_->next;
      ++index_;
      return element;
    }

   private:
    const LinkedList& list_;
    const std::size_t expected_mod_count_;
    const Entry* next_;
    std::size_t index_ = 0;
  };

  void append(int element) {
    entries_.push_back(std::make_unique<Entry>(Entry{element, &header_, header_.previous}));
    header_.previous->next = entries_.back().get();
    header_.previous = entries_.back().get();
  }

  Entry header_{};
  std::size_t size_ = 0;
  std::size_t mod_count_ = 0;
  std::vector<std::unique_ptr<Entry>> entries_;
};

// The wrapper of Collections.synchronizedList: every function is one critical section, but the user of an iterator must
// take the lock.
class SynchronizedList : public Collection {
 public:
  std::size_t size() const override {
    std::lock_guard guard(mutex_);
    return list_.size();
  }

  std::unique_ptr<Iterator> iterator() const override { return list_.iterator(); }

  void add(int element) {
    std::lock_guard guard(mutex_);
    list_.add(element);
  }

  void remove_last() {
    std::lock_guard guard(mutex_);
    list_.remove_last();
  }

  void add_all(const SynchronizedList& other) {
    std::lock_guard guard(mutex_);
    list_.add_all(other);
  }

 private:
  mutable std::recursive_mutex mutex_;
  LinkedList list_;
};

void collect(SynchronizedList& collected, const SynchronizedList& shared, std::size_t rounds) {
  for (std::size_t i = 0; i < rounds; ++i) collected.add_all(shared);
}

void push_and_pop(SynchronizedList& shared, std::size_t rounds) {
  for (std::size_t i = 0; i < rounds; ++i) {
    shared.add(static_cast<int>(i));
    shared.remove_last();
  }
}

std::size_t argument(int argc, char** argv, int index, std::size_t otherwise) {
  return argc > index ? std::strtoul(argv[index], nullptr, 10) : otherwise;
}

}  // namespace

int main(int argc, char** argv) {
  const std::size_t thread_count = argument(argc, argv, 1, 2);
  const std::size_t rounds = argument(argc, argv, 2, 1);
  const std::size_t elements = argument(argc, argv, 3, 3);

  SynchronizedList shared;
  SynchronizedList collected;
  for (std::size_t i = 0; i < elements; ++i) shared.add(static_cast<int>(i));
  std::vector<std::thread> threads;
  for (std::size_t i = 0; i < thread_count; ++i) {
    threads.emplace_back(
        [&, i] { i + 1 < thread_count ? collect(collected, shared, rounds) : push_and_pop(shared, rounds); });
  }
  for (std::thread& thread : threads) thread.join();

  assert(shared.size() == elements);
  assert(collected.size() >= rounds * elements);
  std::puts("all collected");
  return 0;
}
