// Apache-21285, repaired: an object that is no longer in the cache is neither removed nor inserted
// again.
//
// usage: fixed [workers] [requests per worker]
#include <cstdio>
#include <cstdlib>
#include <map>
#include <mutex>
#include <thread>
#include <vector>

namespace {

constexpr std::size_t kDefaultSize = 64;
constexpr std::size_t kSizeMax = 256;
constexpr std::size_t kEntriesMax = 2;

// Freed with its last reference, once it is no longer in the cache.
struct CacheObject {
  std::size_t key;  // the page
  std::size_t size;
  std::size_t references;
  bool evicted;
};

// The order of eviction: the largest first.
class PriorityQueue {
 public:
  void insert(CacheObject* object) { objects_.push_back(object); }

  // Null: the queue is empty.
  CacheObject* pop() {
    std::size_t largest = 0;
    for (std::size_t i = 1; i < objects_.size(); ++i) {
      if (objects_[i]->size > objects_[largest]->size) largest = i;
    }
    if (objects_.empty()) return nullptr;
    CacheObject* object = objects_[largest];
    objects_.erase(objects_.begin() + static_cast<std::ptrdiff_t>(largest));
    return object;
  }

  bool remove(CacheObject* object) { return std::erase(objects_, object) != 0; }

  std::size_t size() const { return objects_.size(); }

 private:
  std::vector<CacheObject*> objects_;
};

std::size_t size_of(const CacheObject* object) {
  return object->size;
}

struct Cache {
  std::mutex lock;
  std::size_t (*size_entry)(const CacheObject*) = size_of;  // the cache knows its entries by such callbacks only
  PriorityQueue queue;
  std::map<std::size_t, CacheObject*> table;
  std::size_t current_size = 0;
};

void drop_reference(CacheObject* object) {
  if (--object->references == 0 && object->evicted) delete object;
}

void cache_insert(Cache& cache, CacheObject* object) {
  while (cache.queue.size() + 1 > kEntriesMax || cache.current_size + cache.size_entry(object) > kSizeMax) {
    CacheObject* ejected = cache.queue.pop();
    cache.current_size -= cache.size_entry(ejected);
    cache.table.erase(ejected->key);
    ++ejected->references;
    ejected->evicted = true;
    drop_reference(ejected);
  }
  object->evicted = false;
  cache.current_size += cache.size_entry(object);
  cache.table[object->key] = object;
  cache.queue.insert(object);
}

bool cache_remove(Cache& cache, CacheObject* object) {
  if (!cache.queue.remove(object)) return false;
  cache.table.erase(object->key);
  cache.current_size -= cache.size_entry(object);
  return true;
}

// Null: another worker is caching the page, or has cached it.
CacheObject* create_entity(Cache& cache, std::size_t key) {
  std::lock_guard guard(cache.lock);
  if (cache.table.contains(key)) return nullptr;
  auto* object = new CacheObject{key, kDefaultSize, 1, false};
  cache_insert(cache, object);
  return object;
}

void write_body(Cache& cache, CacheObject* object, std::size_t size) {
  std::lock_guard guard(cache.lock);
  if (!cache_remove(cache, object)) return;
  object->size = size;
  cache_insert(cache, object);
}

// All pages are smaller than the default.
std::size_t page_size(std::size_t page) {
  return kDefaultSize / 4 + page % 3;
}

void serve(Cache& cache, std::size_t worker, std::size_t requests) {
  for (std::size_t i = 0; i < requests; ++i) {
    const std::size_t page = worker * requests + i;
    CacheObject* object = create_entity(cache, page);
    if (object == nullptr) continue;
    write_body(cache, object, page_size(page));
    std::lock_guard guard(cache.lock);
    drop_reference(object);
  }
}

std::size_t argument(int argc, char** argv, int index, std::size_t otherwise) {
  return argc > index ? std::strtoul(argv[index], nullptr, 10) : otherwise;
}

}  // namespace

int main(int argc, char** argv) {
  const std::size_t workers = argument(argc, argv, 1, 3);
  const std::size_t requests = argument(argc, argv, 2, 1);

  Cache cache;
  std::vector<std::thread> threads;
  for (std::size_t i = 0; i < workers; ++i) threads.emplace_back(serve, std::ref(cache), i, requests);
  for (std::thread& thread : threads) thread.join();

  std::printf("%zu bytes cached\n", cache.current_size);
  while (CacheObject* object = cache.queue.pop()) delete object;
  return 0;
}
