// TreeSet, repaired: one critical section around the size and the iteration.
//
// usage: fixed [replacers] [rounds] [elements]
#include <algorithm>
#include <cassert>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <mutex>
#include <stdexcept>
#include <thread>
#include <utility>
#include <vector>

namespace {

// An unbalanced tree is sufficient for the replacements; a tree that is built from a sorted set is balanced.
class TreeSet {
  struct Node {
    int key;
    std::unique_ptr<Node> left;
    std::unique_ptr<Node> right;
  };

 public:
  // In ascending order.
  class Iterator {
   public:
    explicit Iterator(const TreeSet& set) { push_left(set.root_.get()); }

    int next() {
      if (path_.empty()) throw std::out_of_range("no such element");
      const Node* node = path_.back();
      path_.pop_back();
      push_left(node->right.get());
      return node->key;
    }

   private:
    void push_left(const Node* node) {
      for (; node != nullptr; node = node->left.get()) path_.push_back(node);
    }

    std::vector<const Node*> path_;
  };

  void build_from_sorted(std::size_t size, Iterator elements) {
    root_ = build(size, elements);
    size_ = size;
  }

  bool add(int key) {
    std::unique_ptr<Node>& link = find(key);
    if (link != nullptr) return false;
    link = std::make_unique<Node>(Node{key, nullptr, nullptr});
    ++size_;
    return true;
  }

  bool remove(int key) {
    std::unique_ptr<Node>& link = find(key);
    if (link == nullptr) return false;
    if (link->left == nullptr || link->right == nullptr) {
      std::unique_ptr<Node> child = std::move(link->left != nullptr ? link->left : link->right);
      link = std::move(child);
    } else {
      std::unique_ptr<Node>* successor = &link->right;
      while ((*successor)->left != nullptr) successor = &(*successor)->left;
      link->key = (*successor)->key;
      std::unique_ptr<Node> child = std::move((*successor)->right);
      *successor = std::move(child);
    }
    --size_;
    return true;
  }

  bool contains(int key) { return find(key) != nullptr; }
  std::size_t size() const { return size_; }

 private:
  std::unique_ptr<Node>& find(int key) {
    std::unique_ptr<Node>* link = &root_;
    while (*link != nullptr && (*link)->key != key) link = key < (*link)->key ? &(*link)->left : &(*link)->right;
    return *link;
  }

  static std::unique_ptr<Node> build(std::size_t size, Iterator& elements) {
    if (size == 0) return nullptr;
    std::unique_ptr<Node> left = build(size / 2, elements);
    auto node = std::make_unique<Node>(Node{elements.next(), std::move(left), nullptr});
    node->right = build(size - size / 2 - 1, elements);
    return node;
  }

  std::unique_ptr<Node> root_;
  std::size_t size_ = 0;
};

class SynchronizedSortedSet {
 public:
  bool add(int key) {
    std::lock_guard guard(mutex_);
    return set_.add(key);
  }

  bool remove(int key) {
    std::lock_guard guard(mutex_);
    return set_.remove(key);
  }

  bool contains(int key) {
    std::lock_guard guard(mutex_);
    return set_.contains(key);
  }

  std::size_t size() {
    std::lock_guard guard(mutex_);
    return set_.size();
  }

  // REQUIRES: this set is empty.
  void add_all(SynchronizedSortedSet& other) {
    std::scoped_lock guard(mutex_, other.mutex_);
    set_.build_from_sorted(other.set_.size(), TreeSet::Iterator(other.set_));
  }

 private:
  std::mutex mutex_;
  TreeSet set_;
};

std::size_t argument(int argc, char** argv, int index, std::size_t otherwise) {
  return argc > index ? std::strtoul(argv[index], nullptr, 10) : otherwise;
}

}  // namespace

int main(int argc, char** argv) {
  const std::size_t replacers = argument(argc, argv, 1, 1);
  const std::size_t rounds = argument(argc, argv, 2, 1);
  const int elements = static_cast<int>(std::max<std::size_t>(replacers + 1, argument(argc, argv, 3, 6)));

  SynchronizedSortedSet source;
  for (int i = 0; i < elements; ++i) source.add(2 * (i * 5 % elements));
  const int first_kept = static_cast<int>(2 * replacers);
  const int largest = 2 * (elements - 1);

  std::vector<std::thread> threads;
  for (std::size_t replacer = 0; replacer < replacers; ++replacer) {
    threads.emplace_back([&source, rounds, even = static_cast<int>(2 * replacer)] {
      for (std::size_t i = 0; i < rounds; ++i) {
        const bool removed = source.remove(i % 2 == 0 ? even : even + 1);
        const bool added = source.add(i % 2 == 0 ? even + 1 : even);
        assert(removed && added);
      }
    });
  }
  threads.emplace_back([&] {
    for (std::size_t i = 0; i < rounds; ++i) {
      for (int key = first_kept; key <= largest; key += 2) assert(source.contains(key));
      SynchronizedSortedSet copy;
      copy.add_all(source);
      assert(copy.contains(largest));
    }
  });
  for (std::thread& thread : threads) thread.join();

  assert(source.size() == static_cast<std::size_t>(elements));
  std::puts("copied");
  return 0;
}
