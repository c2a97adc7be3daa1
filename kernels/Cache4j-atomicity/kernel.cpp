// Cache4j-atomicity. The constructor of a cached object draws the object's number from a counter
// that all caches share, and increments it without a lock: each cache has a lock of its own. A
// preempted increment sets the counter back, and another cache then assigns the same number twice.
// Objects that are used in the same instant differ only in their numbers, so the eviction order
// mistakes the second for the first and loses it: an object that is never evicted. Source:
// CacheObject of cache4j (BTrigger Table 1, cache4j atomicity1, at the constructor of CacheObject;
// PECAN Table 1). Repair: the counter is atomic.
//
// usage: kernel [caches, one user each] [objects per cache]
#include <cassert>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <memory>
#include <mutex>
#include <numeric>
#include <set>
#include <thread>
#include <vector>

namespace {

std::size_t next_object_number = 0;

class CacheObject {
 public:
  CacheObject(std::size_t key, std::size_t now) : key_(key), last_access_(now), number_(next_object_number++) {}

  std::size_t key() const { return key_; }
  void touch(std::size_t now) { last_access_ = now; }

  // The order of eviction: least recently used first.
  struct LeastRecentlyUsed {
    bool operator()(const CacheObject* a, const CacheObject* b) const {
      if (a->last_access_ != b->last_access_) return a->last_access_ < b->last_access_;
      return a->number_ < b->number_;
    }
  };

 private:
  const std::size_t key_;
  std::size_t last_access_;
  const std::size_t number_;
};

class SynchronizedCache {
 public:
  explicit SynchronizedCache(std::size_t max_size) : max_size_(max_size) {}

  // Creates the objects first and then inserts them, so that a key that cannot be created leaves the cache unchanged.
  void put_all(const std::vector<std::size_t>& keys) {
    std::lock_guard guard(mutex_);
    const std::size_t now = tick();
    std::vector<std::unique_ptr<CacheObject>> made;
    made.reserve(keys.size());
    for (std::size_t key : keys) made.push_back(std::make_unique<CacheObject>(key, now));
    for (std::unique_ptr<CacheObject>& object : made) {
      if (objects_.size() == max_size_) evict();
      eviction_order_.insert(object.get());
      objects_[object->key()] = std::move(object);
    }
  }

  bool get(std::size_t key) {
    std::lock_guard guard(mutex_);
    const std::size_t now = tick();
    const auto found = objects_.find(key);
    if (found == objects_.end()) return false;
    eviction_order_.erase(found->second.get());
    found->second->touch(now);
    eviction_order_.insert(found->second.get());
    return true;
  }

  // Objects that the eviction order has lost stay forever.
  std::size_t leaked() {
    std::lock_guard guard(mutex_);
    return objects_.size() - eviction_order_.size();
  }

 private:
  // A coarse clock, like the system's: many operations happen in one instant.
  std::size_t tick() { return operations_++ / 1000; }

  void evict() {
    CacheObject* const victim = *eviction_order_.begin();
    eviction_order_.erase(eviction_order_.begin());
    objects_.erase(victim->key());
  }

  std::mutex mutex_;
  const std::size_t max_size_;
  std::size_t operations_ = 0;
  std::map<std::size_t, std::unique_ptr<CacheObject>> objects_;
  std::set<CacheObject*, CacheObject::LeastRecentlyUsed> eviction_order_;
};

void use(SynchronizedCache& cache, std::size_t objects) {
  std::vector<std::size_t> keys(objects);
  std::iota(keys.begin(), keys.end(), 0);
  cache.put_all(keys);
  assert(cache.get(objects - 1));
}

std::size_t argument(int argc, char** argv, int index, std::size_t otherwise) {
  return argc > index ? std::strtoul(argv[index], nullptr, 10) : otherwise;
}

}  // namespace

int main(int argc, char** argv) {
  const std::size_t cache_count = argument(argc, argv, 1, 2);
  const std::size_t objects = argument(argc, argv, 2, 5);

  std::vector<std::unique_ptr<SynchronizedCache>> caches;
  for (std::size_t i = 0; i < cache_count; ++i) caches.push_back(std::make_unique<SynchronizedCache>(objects));
  std::vector<std::thread> threads;
  for (auto& cache : caches) threads.emplace_back([&cache, objects] { use(*cache, objects); });
  for (std::thread& thread : threads) thread.join();

  for (auto& cache : caches) assert(cache->leaked() == 0);
  std::puts("every object can be evicted");
  return 0;
}
