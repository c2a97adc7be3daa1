// SyncSet-deadlock, repaired: retain_all takes the locks of both sets together.
//
// usage: fixed [replicas] [rounds per replica] [keys]
#include <cassert>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <mutex>
#include <set>
#include <thread>
#include <vector>

namespace {

// Every function is one critical section; the lock is re-entrant, like a Java monitor.
class SynchronizedSet {
 public:
  void add(int element) {
    std::lock_guard guard(mutex_);
    elements_.insert(element);
  }

  bool contains(int element) const {
    std::lock_guard guard(mutex_);
    return elements_.contains(element);
  }

  std::size_t size() const {
    std::lock_guard guard(mutex_);
    return elements_.size();
  }

  void retain_all(const SynchronizedSet& other) {
    std::scoped_lock guard(mutex_, other.mutex_);
    for (auto it = elements_.begin(); it != elements_.end();) {
      it = other.contains(*it) ? std::next(it) : elements_.erase(it);
    }
  }

 private:
  mutable std::recursive_mutex mutex_;
  std::set<int> elements_;
};

// One copy of a set of session keys. Keys are added and removed; keys that the peer has removed are dropped later.
class Replica {
 public:
  explicit Replica(std::size_t keys) : keys_(static_cast<int>(keys)) {
    for (int key = 0; key < keys_; ++key) sessions_.add(key);
  }

  void follow(const Replica& peer, std::size_t rounds) {
    for (std::size_t i = 0; i < rounds; ++i) {
      for (int key = 0; key < keys_; ++key) sessions_.add(key);
      sessions_.retain_all(peer.sessions_);
    }
  }

  std::size_t size() const { return sessions_.size(); }

 private:
  const int keys_;
  SynchronizedSet sessions_;
};

std::size_t argument(int argc, char** argv, int index, std::size_t otherwise) {
  return argc > index ? std::strtoul(argv[index], nullptr, 10) : otherwise;
}

}  // namespace

int main(int argc, char** argv) {
  const std::size_t replica_count = argument(argc, argv, 1, 2);
  const std::size_t rounds = argument(argc, argv, 2, 1);
  const std::size_t keys = argument(argc, argv, 3, 3);

  std::vector<std::unique_ptr<Replica>> replicas;
  for (std::size_t i = 0; i < replica_count; ++i) replicas.push_back(std::make_unique<Replica>(keys));
  std::vector<std::thread> threads;
  for (std::size_t i = 0; i < replica_count; ++i) {
    threads.emplace_back([&replicas, i, rounds] { replicas[i]->follow(*replicas[(i + 1) % replicas.size()], rounds); });
  }
  for (std::thread& thread : threads) thread.join();

  for (const auto& replica : replicas) assert(replica->size() == keys);
  std::puts("replicas agree");
  return 0;
}
