// OpenJMS. A client opens a connection with the server's acceptor and logs in, two round trips, and
// then sends its message through the connection's multiplexer. The connector thread creates the
// multiplexer, and the client does not wait for that, because the round trips usually take
// longer. If the connector is late, the client finds no multiplexer and
// throws. Source: the order violation of OpenJMS 0.7.7 under 20 clients with 10 messages each (LEAN
// Table 1), at the multiplexer of a managed connection (PECAN Figure 6). Repair: the client waits
// until the connection has its multiplexer.
//
// usage: kernel [clients] [messages per client] [bytes per message]
#include <cassert>
#include <condition_variable>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <deque>
#include <memory>
#include <mutex>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

namespace {

constexpr std::size_t kOpeningSteps = 2;  // connection, login

struct ResourceException : std::runtime_error {
  using std::runtime_error::runtime_error;
};

// Closed and empty: take() returns nothing.
template <typename T>
class BlockingQueue {
 public:
  void put(T item) {
    std::lock_guard guard(mutex_);
    items_.push_back(item);
    changed_.notify_one();
  }

  void close() {
    std::lock_guard guard(mutex_);
    closed_ = true;
    changed_.notify_all();
  }

  T take() {
    std::unique_lock guard(mutex_);
    changed_.wait(guard, [this] { return closed_ || !items_.empty(); });
    if (items_.empty()) return T();
    T item = items_.front();
    items_.pop_front();
    return item;
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<T> items_;
  bool closed_ = false;
};

class Multiplexer {
 public:
  void send(const std::string& message) {
    for (char c : message) checksum_ = checksum_ * 31 + static_cast<std::uint8_t>(c);
    ++sent_;
  }

  std::size_t sent() const { return sent_; }

 private:
  std::uint32_t checksum_ = 1;
  std::size_t sent_ = 0;
};

class ManagedConnection {
 public:
  // The client's side.
  void await_reply(std::size_t number) {
    std::unique_lock guard(mutex_);
    replied_.wait(guard, [&] { return replies_ >= number; });
  }

  void invoke(const std::string& message) {
    Multiplexer* multiplexer = nullptr;
    {
      std::lock_guard guard(mutex_);
      multiplexer = multiplexer_.get();
    }
    if (multiplexer == nullptr) throw ResourceException("connection has no multiplexer");
    multiplexer->send(message);
  }

  std::size_t sent() const { return multiplexer_->sent(); }

  // The server's side.
  void reply() {
    std::lock_guard guard(mutex_);
    ++replies_;
    replied_.notify_all();
  }

  void set_invocation_handler() {
    std::lock_guard guard(mutex_);
    multiplexer_ = std::make_unique<Multiplexer>();
  }

 private:
  std::mutex mutex_;
  std::condition_variable replied_;
  std::size_t replies_ = 0;
  std::unique_ptr<Multiplexer> multiplexer_;
};

class Server {
 public:
  // Answers all steps in the same way; the first one on a connection also informs the connector.
  void accept() {
    while (Request* request = requests_.take()) {
      if (request->is_new) to_connect_.put(&request->connection);
      request->connection.reply();
      delete request;
    }
    to_connect_.close();
  }

  void connect() {
    while (ManagedConnection* connection = to_connect_.take()) connection->set_invocation_handler();
  }

  // The server keeps its connections until it stops.
  ManagedConnection& new_connection() {
    std::lock_guard guard(mutex_);
    return connections_.emplace_back();
  }

  void request(ManagedConnection& connection, bool is_new) { requests_.put(new Request{connection, is_new}); }
  void close() { requests_.close(); }

 private:
  struct Request {
    ManagedConnection& connection;
    bool is_new;
  };

  std::mutex mutex_;
  std::deque<ManagedConnection> connections_;
  BlockingQueue<Request*> requests_;
  BlockingQueue<ManagedConnection*> to_connect_;
};

void run_client(Server& server, std::size_t messages, std::size_t size) {
  for (std::size_t i = 0; i < messages; ++i) {
    ManagedConnection& connection = server.new_connection();
    for (std::size_t step = 1; step <= kOpeningSteps; ++step) {
      server.request(connection, step == 1);
      connection.await_reply(step);
    }
    connection.invoke(std::string(size, static_cast<char>('a' + i % 26)));
    assert(connection.sent() == 1);
  }
}

std::size_t argument(int argc, char** argv, int index, std::size_t otherwise) {
  return argc > index ? std::strtoul(argv[index], nullptr, 10) : otherwise;
}

}  // namespace

int main(int argc, char** argv) {
  const std::size_t clients = argument(argc, argv, 1, 1);
  const std::size_t messages = argument(argc, argv, 2, 1);
  const std::size_t size = argument(argc, argv, 3, 8);

  Server server;
  std::thread connector([&server] { server.connect(); });
  std::thread acceptor([&server] { server.accept(); });
  std::vector<std::thread> threads;
  for (std::size_t i = 0; i < clients; ++i) {
    threads.emplace_back([&server, messages, size] { run_client(server, messages, size); });
  }
  for (std::thread& thread : threads) thread.join();
  server.close();
  acceptor.join();
  connector.join();

  std::puts("all messages sent");
  return 0;
}
