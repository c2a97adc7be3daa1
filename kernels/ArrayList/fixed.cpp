// ArrayList, repaired: contains_all holds the locks of both lists during its walk.
//
// usage: fixed [threads, the last one changes the list] [rounds per thread] [elements]
#include <algorithm>
#include <cassert>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <mutex>
#include <stdexcept>
#include <thread>
#include <vector>

namespace {

struct ConcurrentModification : std::runtime_error {
  ConcurrentModification() : std::runtime_error("list changed under its iterator") {}
};

class Iterator {
 public:
  virtual ~Iterator() = default;
  virtual bool has_next() const = 0;
  virtual int next() = 0;
};

class Collection {
 public:
  virtual ~Collection() = default;
  virtual std::size_t size() const = 0;
  virtual bool contains(int element) const = 0;
  virtual void add(int element) = 0;
  virtual bool remove(int element) = 0;
  virtual std::unique_ptr<Iterator> iterator() const = 0;
};

// Not synchronized. Every structural change is counted, so that an iterator can detect it.
class ArrayList : public Collection {
 public:
  explicit ArrayList(std::size_t capacity) : element_data_(new int[capacity]), capacity_(capacity) {}

  std::size_t size() const override { return size_; }
  std::unique_ptr<Iterator> iterator() const override { return std::make_unique<Walk>(*this); }

  bool contains(int element) const override {
    const int* const end = element_data_.get() + size_;
    return std::find(static_cast<const int*>(element_data_.get()), end, element) != end;
  }

  void add(int element) override {
    ++mod_count_;
    ensure_capacity(size_ + 1);
    element_data_[size_++] = element;
  }

  bool remove(int element) override {
    int* const end = element_data_.get() + size_;
    int* const found = std::find(element_data_.get(), end, element);
    if (found == end) return false;
    ++mod_count_;
    std::copy(found + 1, end, found);
    --size_;
    return true;
  }

  bool contains_all(const Collection& other) const {
    for (std::unique_ptr<Iterator> it = other.iterator(); it->has_next();) {
      if (!contains(it->next())) return false;
    }
    return true;
  }

 private:
  class Walk : public Iterator {
   public:
    explicit Walk(const ArrayList& list) : list_(list), expected_mod_count_(list.mod_count_) {}

    bool has_next() const override { return cursor_ != list_.size_; }

    int next() override {
      if (list_.mod_count_ != expected_mod_count_) throw ConcurrentModification();
      return list_.element_data_[cursor_++];
    }

   private:
    const ArrayList& list_;
    const std::size_t expected_mod_count_;
    std::size_t cursor_ = 0;
  };

  void ensure_capacity(std::size_t minimum) {
    if (minimum <= capacity_) return;
    const std::size_t capacity = capacity_ * 3 / 2 + 1;
    std::unique_ptr<int[]> grown(new int[capacity]);
    std::copy(element_data_.get(), element_data_.get() + size_, grown.get());
    element_data_ = std::move(grown);
    capacity_ = capacity;
  }

  std::unique_ptr<int[]> element_data_;
  std::size_t capacity_;
  std::size_t size_ = 0;
  std::size_t mod_count_ = 0;
};

// The wrapper of Collections.synchronizedList: every function is one critical section, but the user of an iterator must
// take the lock.
class SynchronizedList : public Collection {
 public:
  explicit SynchronizedList(std::size_t capacity) : list_(capacity) {}

  std::size_t size() const override {
    std::lock_guard guard(mutex_);
    return list_.size();
  }

  bool contains(int element) const override {
    std::lock_guard guard(mutex_);
    return list_.contains(element);
  }

  void add(int element) override {
    std::lock_guard guard(mutex_);
    list_.add(element);
  }

  bool remove(int element) override {
    std::lock_guard guard(mutex_);
    return list_.remove(element);
  }

  std::unique_ptr<Iterator> iterator() const override { return list_.iterator(); }

  bool contains_all(const SynchronizedList& other) const {
    std::scoped_lock guard(mutex_, other.mutex_);
    return list_.contains_all(other);
  }

 private:
  mutable std::recursive_mutex mutex_;
  ArrayList list_;
};

struct Lists {
  explicit Lists(std::size_t elements) : all(elements), some(elements) {
    for (std::size_t i = 0; i < elements; ++i) {
      all.add(static_cast<int>(i));
      if (i % 2 == 0) some.add(static_cast<int>(i));
    }
  }

  SynchronizedList all;
  SynchronizedList some;  // always a subset of `all`
};

void check(const Lists& lists, std::size_t rounds) {
  for (std::size_t i = 0; i < rounds; ++i) assert(lists.all.contains_all(lists.some));
}

void change(Lists& lists, std::size_t rounds) {
  for (std::size_t i = 0; i < rounds; ++i) {
    if (lists.some.remove(0)) lists.some.add(0);
  }
}

std::size_t argument(int argc, char** argv, int index, std::size_t otherwise) {
  return argc > index ? std::strtoul(argv[index], nullptr, 10) : otherwise;
}

}  // namespace

int main(int argc, char** argv) {
  const std::size_t thread_count = argument(argc, argv, 1, 2);
  const std::size_t rounds = argument(argc, argv, 2, 1);
  const std::size_t elements = argument(argc, argv, 3, 6);

  Lists lists(elements);
  std::vector<std::thread> threads;
  for (std::size_t i = 0; i < thread_count; ++i) {
    threads.emplace_back(
        [&lists, i, rounds, thread_count] { i + 1 < thread_count ? check(lists, rounds) : change(lists, rounds); });
  }
  for (std::thread& thread : threads) thread.join();

  assert(lists.some.size() == (elements + 1) / 2);
  std::puts("lists as before");
  return 0;
}
