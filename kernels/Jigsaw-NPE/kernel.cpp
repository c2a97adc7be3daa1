// Jigsaw-NPE. Resources are loaded on demand, and the number of loaded ones is bounded: loading one
// more unloads the least recently used one. A request loads its resource, if necessary, in one
// critical section and fetches it in another. If another request's load evicts the resource in
// between, the pointer is null. Source: the NullPointerException of W3C Jigsaw 2.2.6
// under 10 clients with 10 requests each (LEAN Table 1; the paper gives the exception, not the
// place). Repair: loading and fetching are one critical section.
//
// usage: kernel [clients] [requests per client] [resources] [resources loaded at most] [bytes per page]
#include <cassert>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <list>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

namespace {

class Resource {
 public:
  explicit Resource(std::size_t size) : content_(size, 'x') {}

  std::string perform() const {
    std::uint32_t checksum = 1;
    for (char c : content_) checksum = checksum * 31 + static_cast<unsigned char>(c);
    return "HTTP/1.1 200 OK\r\nETag: " + std::to_string(checksum) + "\r\n\r\n" + content_;
  }

 private:
  const std::string content_;
};

// The handle that a request holds; the resource itself may be unloaded and loaded again.
struct ResourceReference {
  std::shared_ptr<Resource> resource;
};

class ResourceStore {
 public:
  ResourceStore(std::size_t loaded_max, std::size_t page_size) : loaded_max_(loaded_max), page_size_(page_size) {}

  ResourceReference* lookup(const std::string& path) {
    std::lock_guard guard(mutex_);
    return &references_[path];
  }

  void ensure_loaded(ResourceReference* reference) {
    std::lock_guard guard(mutex_);
    load(reference);
  }

  std::shared_ptr<Resource> resource_of(const ResourceReference* reference) {
    std::lock_guard guard(mutex_);
    return reference->resource;
  }

  std::size_t loaded() {
    std::lock_guard guard(mutex_);
    return loaded_.size();
  }

 private:
  void load(ResourceReference* reference) {
    if (reference->resource == nullptr) {
      reference->resource = std::make_shared<Resource>(page_size_);
    } else {
      loaded_.remove(reference);
    }
    loaded_.push_back(reference);
    if (loaded_.size() <= loaded_max_) return;
    loaded_.front()->resource = nullptr;
    loaded_.pop_front();
  }

  const std::size_t loaded_max_;
  const std::size_t page_size_;
  std::mutex mutex_;
  std::map<std::string, ResourceReference> references_;
  std::list<ResourceReference*> loaded_;  // least recently used first
};

void request_pages(ResourceStore& store, std::size_t client, std::size_t requests, std::size_t resources) {
  for (std::size_t i = 0; i < requests; ++i) {
    ResourceReference* const reference = store.lookup("/page/" + std::to_string((client + i) % resources));
    store.ensure_loaded(reference);
    const std::string reply = store.resource_of(reference)->perform();
    assert(reply.starts_with("HTTP/1.1 200 OK"));
  }
}

std::size_t argument(int argc, char** argv, int index, std::size_t otherwise) {
  return argc > index ? std::strtoul(argv[index], nullptr, 10) : otherwise;
}

}  // namespace

int main(int argc, char** argv) {
  const std::size_t clients = argument(argc, argv, 1, 2);
  const std::size_t requests = argument(argc, argv, 2, 2);
  const std::size_t resources = argument(argc, argv, 3, 3);
  const std::size_t loaded_max = argument(argc, argv, 4, 2);
  const std::size_t page_size = argument(argc, argv, 5, 8);

  ResourceStore store(loaded_max, page_size);
  std::vector<std::thread> threads;
  for (std::size_t i = 0; i < clients; ++i) {
    threads.emplace_back([&store, i, requests, resources] { request_pages(store, i, requests, resources); });
  }
  for (std::thread& thread : threads) thread.join();

  assert(store.loaded() <= loaded_max);
  std::puts("all pages served");
  return 0;
}
