// Moz-macNetIO, repaired: an endpoint is tested and read in one critical section.
//
// usage: fixed [connections] [chunks per connection]
#include <cassert>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

namespace {

constexpr std::size_t kChunkSize = 12;

struct Buffer {
  char bytes[4 * kChunkSize];
  std::size_t filled;
};

// INVARIANT: a valid endpoint has a buffer.
struct Endpoint {
  std::mutex mutex;
  bool valid = false;
  std::unique_ptr<Buffer> buffer;
};

// The notifier's side, which the network stack calls.

void handle_connect(Endpoint& endpoint) {
  std::lock_guard guard(endpoint.mutex);
  endpoint.buffer = std::make_unique<Buffer>();
  endpoint.valid = true;
}

void handle_data(Endpoint& endpoint, const char* chunk) {
  std::lock_guard guard(endpoint.mutex);
  Buffer& buffer = *endpoint.buffer;
  if (buffer.filled + kChunkSize > sizeof buffer.bytes)
    buffer.filled = 0;  // the reader is too slow: old data is dropped
  std::memcpy(buffer.bytes + buffer.filled, chunk, kChunkSize);
  buffer.filled += kChunkSize;
}

void handle_disconnect(Endpoint& endpoint) {
  std::lock_guard guard(endpoint.mutex);
  endpoint.valid = false;
  endpoint.buffer = nullptr;
}

// The reader's side.

// REQUIRES: the endpoint is locked and valid.
std::string take_bytes(Endpoint& endpoint) {
  Buffer* buffer = endpoint.buffer.get();
  std::string bytes(buffer->bytes, buffer->filled);
  buffer->filled = 0;
  return bytes;
}

std::string receive(Endpoint& endpoint) {
  std::lock_guard guard(endpoint.mutex);
  if (!endpoint.valid) return "";
  return take_bytes(endpoint);
}

void deliver(std::vector<Endpoint>& endpoints, std::size_t chunks) {
  for (std::size_t i = 0; i < chunks; ++i) {
    char chunk[kChunkSize + 1];
    std::snprintf(chunk, sizeof chunk, "chunk %05zu\n", i % 100000);
    for (Endpoint& endpoint : endpoints) handle_data(endpoint, chunk);
  }
  for (Endpoint& endpoint : endpoints) handle_disconnect(endpoint);
}

// Polls all connections in turn; closed ones have no data.
void read_pages(std::vector<Endpoint>& endpoints, std::size_t polls, std::string* page) {
  for (std::size_t i = 0; i < polls; ++i) {
    for (Endpoint& endpoint : endpoints) *page += receive(endpoint);
  }
}

std::size_t argument(int argc, char** argv, int index, std::size_t otherwise) {
  return argc > index ? std::strtoul(argv[index], nullptr, 10) : otherwise;
}

}  // namespace

int main(int argc, char** argv) {
  const std::size_t connections = argument(argc, argv, 1, 2);
  const std::size_t chunks = argument(argc, argv, 2, 2);

  std::vector<Endpoint> endpoints(connections);
  for (Endpoint& endpoint : endpoints) handle_connect(endpoint);
  std::string page;
  std::thread reader([&] { read_pages(endpoints, chunks, &page); });
  std::thread notifier([&] { deliver(endpoints, chunks); });
  reader.join();
  notifier.join();

  assert(page.size() % kChunkSize == 0);
  assert(page.size() <= connections * chunks * kChunkSize);
  std::printf("%zu bytes received\n", page.size());
  return 0;
}
