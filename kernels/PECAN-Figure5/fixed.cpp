// PECAN-Figure5, repaired: B waits for A's announcement before it reaches the gate. A then holds the
// lock, and the pair (v3,v8) is false.
//
// usage: fixed [changes]
#include <cassert>
#include <cstdio>
#include <cstdlib>
#include <mutex>
#include <semaphore>
#include <string>
#include <thread>

namespace {

struct Address {
  std::string host;
  unsigned port;
};

Address address_after(std::size_t changes) {
  return {"host" + std::to_string(changes % 10), static_cast<unsigned>(8000 + changes)};
}

class Configuration {
 public:
  // Thread A, one change. A change begins when the connection after the previous change has been made.
  void change_address(const Address& address) {
    {
      std::lock_guard guard(mutex_);  // v1
      announced_.release();           // v2
      address_.host = address.host;   // v3
      address_.port = address.port;   // v3
    }
    connected_.acquire();
  }

  // Thread B, one connection.
  Address address_to_connect_to() {
    announced_.acquire();                           // v2 before v5
    ++connections_;                                 // v5
    let_change_in_progress_end();                   // v6, v7
    Address address{address_.host, address_.port};  // v8
    connected_.release();
    return address;
  }

  std::size_t connections() const { return connections_; }

 private:
  void let_change_in_progress_end() { std::lock_guard guard(mutex_); }

  std::mutex mutex_;
  Address address_ = address_after(0);
  std::counting_semaphore<> announced_{0};
  std::counting_semaphore<> connected_{0};
  std::size_t connections_ = 0;
};

// An address is valid if host and port are of the same change.
bool is_consistent(const Address& address) {
  return address.host == address_after(address.port - 8000).host;
}

std::size_t argument(int argc, char** argv, int index, std::size_t otherwise) {
  return argc > index ? std::strtoul(argv[index], nullptr, 10) : otherwise;
}

}  // namespace

int main(int argc, char** argv) {
  const std::size_t changes = argument(argc, argv, 1, 1);

  Configuration configuration;
  std::thread a([&] {
    for (std::size_t i = 0; i < changes; ++i) configuration.change_address(address_after(i + 1));
  });
  std::thread b([&] {
    for (std::size_t i = 0; i < changes; ++i) assert(is_consistent(configuration.address_to_connect_to()));
  });
  a.join();
  b.join();

  assert(configuration.connections() == changes);
  std::puts("all connected");
  return 0;
}
