// Jigsaw-deadlock2. Resources live in a store that writes modified ones to disk. A resource that is
// served counts the hit under its own lock and occasionally marks itself as modified in the store,
// under the store's lock. The store's sweep holds the store's lock and reads the state of each
// modified resource under the resource's lock. A request that marks its resource again while the
// sweep writes it can deadlock. Source: W3C Jigsaw 2.2.6 (BTrigger Table 1, jigsaw deadlock2;
// the paper gives the stall, not the locks). Repair: the sweep takes the list of modified resources
// under the store's lock and writes them after releasing it.
//
// usage: kernel [clients] [requests per client] [sweeps]
#include <cassert>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <thread>
#include <utility>
#include <vector>

namespace {

class Resource;

class ResourceStore {
 public:
  void mark_modified(Resource* resource) {
    std::lock_guard guard(mutex_);
    modified_.insert(resource);
  }

  void sweep();

  std::size_t saved_hits(const std::string& path) {
    std::lock_guard guard(mutex_);
    return saved_[path];
  }

 private:
  std::mutex mutex_;
  std::set<Resource*> modified_;
  std::map<std::string, std::size_t> saved_;  // the content of the disk
};

class Resource {
 public:
  Resource(std::string path, ResourceStore& store) : path_(std::move(path)), store_(store) {}

  std::string serve() {
    std::lock_guard guard(mutex_);
    ++hits_;
    if (hits_ % kHitsBetweenSaves == 0) store_.mark_modified(this);
    return "HTTP/1.1 200 OK\r\n\r\n" + path_;
  }

  std::pair<std::string, std::size_t> state() {
    std::lock_guard guard(mutex_);
    return {path_, hits_};
  }

 private:
  static constexpr std::size_t kHitsBetweenSaves = 2;

  const std::string path_;
  ResourceStore& store_;
  std::mutex mutex_;
  std::size_t hits_ = 0;
};

void ResourceStore::sweep() {
  std::lock_guard guard(mutex_);
  for (Resource* resource : std::exchange(modified_, {})) {
    const auto [path, hits] = resource->state();
    saved_[path] = hits;
  }
}

void request(Resource& resource, std::size_t requests) {
  for (std::size_t i = 0; i < requests; ++i) assert(resource.serve().starts_with("HTTP/1.1 200"));
}

std::size_t argument(int argc, char** argv, int index, std::size_t otherwise) {
  return argc > index ? std::strtoul(argv[index], nullptr, 10) : otherwise;
}

}  // namespace

int main(int argc, char** argv) {
  const std::size_t clients = argument(argc, argv, 1, 1);
  const std::size_t requests = argument(argc, argv, 2, 4);
  const std::size_t sweeps = argument(argc, argv, 3, 1);

  ResourceStore store;
  Resource index("/index.html", store);
  std::vector<std::thread> threads;
  for (std::size_t i = 0; i < clients; ++i) threads.emplace_back([&index, requests] { request(index, requests); });
  std::thread sweeper([&store, sweeps] {
    for (std::size_t i = 0; i < sweeps; ++i) store.sweep();
  });
  for (std::thread& thread : threads) thread.join();
  sweeper.join();

  assert(store.saved_hits("/index.html") <= clients * requests);
  assert(index.state().second == clients * requests);
  std::puts("store swept");
  return 0;
}
