// SyncMap-deadlock, repaired: equals compares copies of the two maps, taken one after the other.
//
// usage: fixed [nodes] [updates per node]
#include <atomic>
#include <cassert>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

namespace {

// Every function is one critical section; the lock is re-entrant, like a Java monitor.
class SynchronizedMap {
 public:
  void put(const std::string& key, int value) {
    std::lock_guard guard(mutex_);
    entries_[key] = value;
    digest_.store(digest_of(entries_));
  }

  std::size_t size() const {
    std::lock_guard guard(mutex_);
    return entries_.size();
  }

  int get(const std::string& key) const {
    std::lock_guard guard(mutex_);
    const auto found = entries_.find(key);
    return found == entries_.end() ? 0 : found->second;
  }

  std::size_t digest() const { return digest_.load(); }

  bool equals(const SynchronizedMap& other) const {
    if (digest() != other.digest()) return false;
    const std::map<std::string, int> mine = copy();
    return mine == other.copy();
  }

  std::map<std::string, int> copy() const {
    std::lock_guard guard(mutex_);
    return entries_;
  }

 private:
  static std::size_t digest_of(const std::map<std::string, int>& entries) {
    std::size_t digest = 0;
    for (const auto& [key, value] : entries) digest += std::hash<std::string>()(key) ^ static_cast<std::size_t>(value);
    return digest;
  }

  mutable std::recursive_mutex mutex_;
  std::map<std::string, int> entries_;
  std::atomic<std::size_t> digest_ = 0;
};

// A node of a cluster with its copy of the configuration. All nodes get the same updates, at different times.
class Node {
 public:
  // Returns the number of comparisons in which the peer was equal.
  std::size_t apply_updates(const Node& peer, std::size_t updates) {
    std::size_t agreements = 0;
    for (std::size_t i = 0; i < updates; ++i) {
      configuration_.put("option" + std::to_string(i % 4), static_cast<int>(i));
      if (configuration_.equals(peer.configuration_)) ++agreements;
    }
    return agreements;
  }

  bool agrees_with(const Node& peer) const { return configuration_.equals(peer.configuration_); }

 private:
  SynchronizedMap configuration_;
};

std::size_t argument(int argc, char** argv, int index, std::size_t otherwise) {
  return argc > index ? std::strtoul(argv[index], nullptr, 10) : otherwise;
}

}  // namespace

int main(int argc, char** argv) {
  const std::size_t node_count = argument(argc, argv, 1, 2);
  const std::size_t updates = argument(argc, argv, 2, 2);

  std::vector<std::unique_ptr<Node>> nodes;
  for (std::size_t i = 0; i < node_count; ++i) nodes.push_back(std::make_unique<Node>());
  std::vector<std::size_t> agreements(node_count);
  std::vector<std::thread> threads;
  for (std::size_t i = 0; i < node_count; ++i) {
    threads.emplace_back([&nodes, &agreements, i, updates] {
      agreements[i] = nodes[i]->apply_updates(*nodes[(i + 1) % nodes.size()], updates);
    });
  }
  for (std::thread& thread : threads) thread.join();

  for (std::size_t i = 0; i < node_count; ++i) {
    assert(agreements[i] <= updates);
    assert(nodes[i]->agrees_with(*nodes[(i + 1) % node_count]));
  }
  std::puts("nodes agree");
  return 0;
}
