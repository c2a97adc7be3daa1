// SyncSet-atomicity, repaired: remove_all holds the locks of both sets.
//
// usage: fixed [librarians] [returns per librarian] [books]
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
  virtual bool has_next() const = 0;
  virtual int next() = 0;
};

class Set {
 public:
  virtual ~Set() = default;
  virtual std::size_t size() const = 0;
  virtual bool contains(int element) const = 0;
  virtual std::unique_ptr<Iterator> iterator() const = 0;
};

// Chained buckets. Not synchronized. Entries live as long as the set, like objects in a garbage-collected heap that are
// still referenced.
class HashSet : public Set {
 public:
  explicit HashSet(std::size_t buckets) : buckets_(buckets) {}

  std::size_t size() const override { return size_; }
  std::unique_ptr<Iterator> iterator() const override { return std::make_unique<Walk>(*this); }
  bool contains(int element) const override { return *find(element) != nullptr; }

  void add(int element) {
    Entry** const place = find(element);
    if (*place != nullptr) return;
    ++mod_count_;
    entries_.push_back(std::make_unique<Entry>(Entry{element, nullptr}));
    *place = entries_.back().get();
    ++size_;
  }

  void remove(int element) {
    Entry** const place = find(element);
    if (*place == nullptr) return;
    ++mod_count_;
    *place = (*place)->next;
    --size_;
  }

  void remove_all(const Set& other) {
    if (size() > other.size()) {
      for (std::unique_ptr<Iterator> it = other.iterator(); it->has_next();) remove(it->next());
      return;
    }
    std::vector<int> shared;
    for (std::unique_ptr<Iterator> it = iterator(); it->has_next();) {
      const int element = it->next();
      if (other.contains(element)) shared.push_back(element);
    }
    for (int element : shared) remove(element);
  }

 private:
  struct Entry {
    int element;
    Entry* next;
  };

  class Walk : public Iterator {
   public:
    explicit Walk(const HashSet& set) : set_(set), expected_mod_count_(set.mod_count_) { advance(nullptr); }

    bool has_next() const override { return next_ != nullptr; }

    int next() override {
      if (set_.mod_count_ != expected_mod_count_) throw std::runtime_error("set changed under its iterator");
      const Entry* const entry = next_;
      advance(entry->next);
      return entry->element;
    }

   private:
    void advance(const Entry* entry) {
      while (entry == nullptr && bucket_ < set_.buckets_.size()) entry = set_.buckets_[bucket_++];
      next_ = entry;
    }

    const HashSet& set_;
    const std::size_t expected_mod_count_;
    std::size_t bucket_ = 0;
    const Entry* next_ = nullptr;
  };

  // The link to the entry, or the link at which it would be inserted.
  Entry** find(int element) const {
    Entry** place = &buckets_[static_cast<std::size_t>(element) % buckets_.size()];
    while (*place != nullptr && (*place)->element != element) place = &(*place)->next;
    return place;
  }

  mutable std::vector<Entry*> buckets_;
  std::vector<std::unique_ptr<Entry>> entries_;
  std::size_t size_ = 0;
  std::size_t mod_count_ = 0;
};

class SynchronizedSet : public Set {
 public:
  explicit SynchronizedSet(std::size_t buckets) : set_(buckets) {}

  std::size_t size() const override {
    std::lock_guard guard(mutex_);
    return set_.size();
  }

  bool contains(int element) const override {
    std::lock_guard guard(mutex_);
    return set_.contains(element);
  }

  std::unique_ptr<Iterator> iterator() const override { return set_.iterator(); }

  void add(int element) {
    std::lock_guard guard(mutex_);
    set_.add(element);
  }

  void remove(int element) {
    std::lock_guard guard(mutex_);
    set_.remove(element);
  }

  void remove_all(const SynchronizedSet& other) {
    std::scoped_lock guard(mutex_, other.mutex_);
    set_.remove_all(other);
  }

 private:
  mutable std::recursive_mutex mutex_;
  HashSet set_;
};

std::size_t argument(int argc, char** argv, int index, std::size_t otherwise) {
  return argc > index ? std::strtoul(argv[index], nullptr, 10) : otherwise;
}

}  // namespace

int main(int argc, char** argv) {
  const std::size_t librarians = argument(argc, argv, 1, 1);
  const std::size_t returns = argument(argc, argv, 2, 1);
  const std::size_t books = argument(argc, argv, 3, 8);

  SynchronizedSet lent(2 * books);
  for (std::size_t i = 1; i < books; i += 2) lent.add(static_cast<int>(i));
  SynchronizedSet on_shelf(2 * books);
  for (std::size_t i = 0; i < books; ++i) on_shelf.add(static_cast<int>(i));
  std::vector<std::thread> threads;
  for (std::size_t i = 0; i < librarians; ++i) {
    threads.emplace_back([&lent, returns, books] {
      for (std::size_t round = 0; round < returns; ++round) {
        lent.remove(1);
        lent.add(static_cast<int>(books));
      }
    });
  }
  threads.emplace_back([&on_shelf, &lent, returns, books] {
    for (std::size_t round = 0; round < returns; ++round) {
      on_shelf.remove_all(lent);
      for (std::size_t i = 0; i < books; ++i) on_shelf.add(static_cast<int>(i));
    }
  });
  for (std::thread& thread : threads) thread.join();

  assert(lent.contains(static_cast<int>(books)));
  assert(!lent.contains(1));
  assert(on_shelf.size() == books);
  std::puts("shelves counted");
  return 0;
}
