// Cache-UseAfterFree. The objects of a page cache are reference-counted: the cache holds one reference,
// and a request that sends an object's body holds another one meanwhile. A HEAD request needs only the
// size; it finds the object and reads its size without a reference, after the cache's lock is released.
// If the object is evicted meanwhile and is not in use elsewhere, that is a read of freed memory. The
// memory nearly always still contains the value, so there is no other symptom. Source: written for this
// corpus, after the pattern of the cache bugs of Apache httpd 2.0. Repair: HEAD takes a reference too.
//
// usage: kernel [workers] [requests per worker]
#include <array>
#include <cassert>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <mutex>
#include <thread>
#include <vector>

namespace {

constexpr std::size_t kSlots = 7;

struct Object {
  std::size_t page;
  std::size_t references;
  std::size_t size;
  char body[40];
};

Object* render(std::size_t page) {
  auto* object = new Object{page, 1, 0, {}};
  const int size = std::snprintf(object->body, sizeof object->body, "<h1>page %zu</h1>", page % 1000000);
  object->size = static_cast<std::size_t>(size);
  return object;
}

// A page has one possible slot; a new page in a slot evicts the old one.
class Cache {
 public:
  ~Cache() {
    for (Object* object : slots_) {
      if (object != nullptr) release(object);
    }
  }

  // Returns the object with a reference for the caller.
  Object* acquire(std::size_t page) {
    std::lock_guard guard(mutex_);
    Object* object = find_or_insert(page);
    ++object->references;
    return object;
  }

  void release(Object* object) {
    std::lock_guard guard(mutex_);
    drop(object);
  }

  // Returns the object without a reference.
  Object* peek(std::size_t page) {
    std::lock_guard guard(mutex_);
    return find_or_insert(page);
  }

 private:
  Object* find_or_insert(std::size_t page) {
    Object*& slot = slots_[page % kSlots];
    if (slot != nullptr && slot->page == page) return slot;
    if (slot != nullptr) drop(slot);
    slot = render(page);
    return slot;
  }

  void drop(Object* object) {
    if (--object->references == 0) delete object;
  }

  std::mutex mutex_;
  std::array<Object*, kSlots> slots_{};
};

std::size_t handle_get(Cache& cache, std::size_t page, char* sent) {
  Object* object = cache.acquire(page);
  std::memcpy(sent, object->body, object->size);
  const std::size_t size = object->size;
  cache.release(object);
  return size;
}

std::size_t handle_head(Cache& cache, std::size_t page) {
  const Object* object = cache.peek(page);
  return object->size;
}

// Every second request is a HEAD.
void serve(Cache& cache, std::size_t worker, std::size_t requests, std::size_t* bytes) {
  for (std::size_t i = 0; i < requests; ++i) {
    const std::size_t page = worker + 3 * i;
    char sent[40];
    if (i % 2 == 1) {
      *bytes += handle_head(cache, page);
    } else {
      *bytes += handle_get(cache, page, sent);
    }
  }
}

std::size_t argument(int argc, char** argv, int index, std::size_t otherwise) {
  return argc > index ? std::strtoul(argv[index], nullptr, 10) : otherwise;
}

}  // namespace

int main(int argc, char** argv) {
  const std::size_t workers = argument(argc, argv, 1, 2);
  const std::size_t requests = argument(argc, argv, 2, 4);

  Cache cache;
  std::vector<std::size_t> bytes(workers);
  std::vector<std::thread> threads;
  for (std::size_t i = 0; i < workers; ++i) threads.emplace_back(serve, std::ref(cache), i, requests, &bytes[i]);
  for (std::thread& thread : threads) thread.join();

  std::size_t sum = 0;
  for (std::size_t count : bytes) sum += count;
  std::printf("%zu bytes served\n", sum);
  return 0;
}
