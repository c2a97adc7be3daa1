// SyncList-atomicity, repaired: equals holds the locks of both lists.
//
// usage: fixed [editors] [edits per editor] [lines of text]
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

class List {
 public:
  virtual ~List() = default;
  virtual std::size_t size() const = 0;
  virtual void add(int element) = 0;
  virtual void remove_last() = 0;
  virtual std::unique_ptr<Iterator> iterator() const = 0;
};

// Not synchronized. Every structural change is counted, so that an iterator can detect it.
class ArrayList : public List {
 public:
  explicit ArrayList(std::size_t capacity) : element_data_(new int[capacity]), capacity_(capacity) {}

  std::size_t size() const override { return size_; }
  std::unique_ptr<Iterator> iterator() const override { return std::make_unique<Walk>(*this); }

  // REQUIRES: not full.
  void add(int element) override {
    assert(size_ < capacity_);
    element_data_[size_++] = element;
    ++mod_count_;
  }

  void remove_last() override {
    --size_;
    ++mod_count_;
  }

  bool equals(const List& other) const {
    std::unique_ptr<Iterator> mine = iterator();
    std::unique_ptr<Iterator> theirs = other.iterator();
    while (mine->has_next() && theirs->has_next()) {
      if (mine->next() != theirs->next()) return false;
    }
    return !mine->has_next() && !theirs->has_next();
  }

 private:
  class Walk : public Iterator {
   public:
    explicit Walk(const ArrayList& list) : list_(list), expected_mod_count_(list.mod_count_) {}

    bool has_next() const override { return cursor_ < list_.size_; }

    int next() override {
      const int element = list_.element_data_[cursor_++];
      if (list_.mod_count_ != expected_mod_count_) throw std::runtime_error("list changed under its iterator");
      return element;
    }

   private:
    const ArrayList& list_;
    const std::size_t expected_mod_count_;
    std::size_t cursor_ = 0;
  };

  const std::unique_ptr<int[]> element_data_;
  const std::size_t capacity_;
  std::size_t size_ = 0;
  std::size_t mod_count_ = 0;
};

class SynchronizedList : public List {
 public:
  explicit SynchronizedList(std::size_t capacity) : list_(capacity) {}

  std::size_t size() const override {
    std::lock_guard guard(mutex_);
    return list_.size();
  }

  void add(int element) override {
    std::lock_guard guard(mutex_);
    list_.add(element);
  }

  void remove_last() override {
    std::lock_guard guard(mutex_);
    list_.remove_last();
  }

  std::unique_ptr<Iterator> iterator() const override { return list_.iterator(); }

  bool equals(const SynchronizedList& other) const {
    std::scoped_lock guard(mutex_, other.mutex_);
    return list_.equals(other);
  }

 private:
  mutable std::recursive_mutex mutex_;
  ArrayList list_;
};

// The text on the screen and the saved text, each a list of line numbers.
struct Document {
  Document(std::size_t lines, std::size_t editors) : saved(lines), shown(lines + editors) {
    for (std::size_t i = 0; i < lines; ++i) {
      saved.add(static_cast<int>(i));
      shown.add(static_cast<int>(i));
    }
  }

  bool is_modified() const { return !saved.equals(shown); }

  SynchronizedList saved;
  SynchronizedList shown;
};

void type_and_undo(Document& document, std::size_t edits) {
  for (std::size_t i = 0; i < edits; ++i) {
    document.shown.add(-1);
    document.shown.remove_last();
  }
}

std::size_t argument(int argc, char** argv, int index, std::size_t otherwise) {
  return argc > index ? std::strtoul(argv[index], nullptr, 10) : otherwise;
}

}  // namespace

int main(int argc, char** argv) {
  const std::size_t editors = argument(argc, argv, 1, 1);
  const std::size_t edits = argument(argc, argv, 2, 1);
  const std::size_t lines = argument(argc, argv, 3, 4);

  Document document(lines, editors);
  std::vector<std::thread> threads;
  for (std::size_t i = 0; i < editors; ++i)
    threads.emplace_back([&document, edits] { type_and_undo(document, edits); });
  std::size_t modified = 0;
  std::thread autosave([&document, &modified, edits] {
    for (std::size_t i = 0; i < edits; ++i) modified += document.is_modified() ? 1 : 0;
  });
  for (std::thread& thread : threads) thread.join();
  autosave.join();

  assert(modified <= edits);
  assert(!document.is_modified());
  std::puts("saved");
  return 0;
}
