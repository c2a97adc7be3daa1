// OpenJMS-multiplexer. The server accepts a connection, adds it to the connections it serves, and
// then sets the connection's invocation handler, which creates the multiplexer for requests. A
// dispatcher that delivers a message to all connections can reach the new one before it
// has a multiplexer, and its invocation throws. Source: MultiplexedManagedConnection of OpenJMS
// 0.7.7 (PECAN Figure 6: the read in invoke against the write in setInvocationHandler). Repair: the
// connection is set up before others can see it.
//
// usage: kernel [connections] [messages]
#include <cassert>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <mutex>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

namespace {

class ResourceException : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// The requests as the other end receives them.
class Endpoint {
 public:
  explicit Endpoint(std::size_t number) : address_("tcp://client:" + std::to_string(1024 + number)) {}

  void write(const std::string& packet) {
    std::lock_guard guard(mutex_);
    packets_.push_back(address_ + " " + packet);
  }

  std::size_t packets() const {
    std::lock_guard guard(mutex_);
    return packets_.size();
  }

 private:
  const std::string address_;
  mutable std::mutex mutex_;
  std::vector<std::string> packets_;
};

// Many conversations over one endpoint; each request gets a channel of its own.
class Multiplexer {
 public:
  explicit Multiplexer(Endpoint& endpoint) : endpoint_(endpoint) {}

  void send(const std::string& request) {
    std::lock_guard guard(mutex_);
    endpoint_.write("channel " + std::to_string(next_channel_++) + ": " + request);
  }

 private:
  std::mutex mutex_;
  std::size_t next_channel_ = 0;
  Endpoint& endpoint_;
};

class MultiplexedManagedConnection {
 public:
  explicit MultiplexedManagedConnection(std::size_t number) : endpoint_(number) {}

  void set_invocation_handler() {
    if (multiplexer_ != nullptr) throw std::logic_error("an invocation handler is already registered");
    owned_multiplexer_ = std::make_unique<Multiplexer>(endpoint_);
    multiplexer_ = owned_multiplexer_.get();
  }

  void invoke(const std::string& request) {
    Multiplexer* multiplexer = nullptr;
    {
      std::lock_guard guard(mutex_);
      multiplexer = multiplexer_;
    }
    if (multiplexer == nullptr) throw ResourceException("connection lost");
    multiplexer->send(request);
  }

  std::size_t packets() const { return endpoint_.packets(); }

 private:
  std::mutex mutex_;
  Endpoint endpoint_;
  std::unique_ptr<Multiplexer> owned_multiplexer_;
  Multiplexer* multiplexer_ = nullptr;
};

class Server {
 public:
  void accept(std::size_t number) {
    auto connection = std::make_shared<MultiplexedManagedConnection>(number);
    add(connection);
    connection->set_invocation_handler();
  }

  // Delivers the message to all current connections.
  void deliver(const std::string& message) {
    for (const auto& connection : connections()) connection->invoke(message);
  }

  std::vector<std::shared_ptr<MultiplexedManagedConnection>> connections() {
    std::lock_guard guard(mutex_);
    return connections_;
  }

 private:
  void add(const std::shared_ptr<MultiplexedManagedConnection>& connection) {
    std::lock_guard guard(mutex_);
    connections_.push_back(connection);
  }

  std::mutex mutex_;
  std::vector<std::shared_ptr<MultiplexedManagedConnection>> connections_;
};

std::size_t argument(int argc, char** argv, int index, std::size_t otherwise) {
  return argc > index ? std::strtoul(argv[index], nullptr, 10) : otherwise;
}

}  // namespace

int main(int argc, char** argv) {
  const std::size_t connections = argument(argc, argv, 1, 1);
  const std::size_t messages = argument(argc, argv, 2, 1);

  Server server;
  std::thread acceptor([&] {
    for (std::size_t i = 0; i < connections; ++i) server.accept(i);
  });
  std::thread dispatcher([&] {
    for (std::size_t i = 0; i < messages; ++i) server.deliver("message " + std::to_string(i));
  });
  acceptor.join();
  dispatcher.join();

  const auto connected = server.connections();
  assert(connected.size() == connections);
  std::size_t packets = 0;
  for (const auto& connection : connected) packets += connection->packets();
  assert(packets <= connections * messages);
  std::printf("%zu packets sent\n", packets);
  return 0;
}
