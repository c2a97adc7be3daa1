// Server-Stats, repaired: a free entry is found and claimed in one critical section.
//
// usage: fixed [port, 0 for any] [workers]
#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <cassert>
#include <condition_variable>
#include <cstdio>
#include <cstdlib>
#include <deque>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

namespace {

constexpr std::size_t kConnectionsMax = 64;

class ConnectionTable {
 public:
  std::size_t enter(int socket) {
    std::lock_guard guard(mutex_);
    const std::size_t entry = find_free();
    claim(entry, socket);
    return entry;
  }

  void add(long number) {
    std::lock_guard guard(mutex_);
    ++additions_;
    sum_ += number;
  }

  void leave(std::size_t entry) {
    std::lock_guard guard(mutex_);
    entries_[entry] = {};
  }

  std::string statistics() {
    std::lock_guard guard(mutex_);
    std::size_t busy = 0;
    for (const Entry& entry : entries_) busy += entry.used ? 1 : 0;
    return std::to_string(busy) + " busy, " + std::to_string(additions_) + " additions, sum " + std::to_string(sum_);
  }

 private:
  struct Entry {
    bool used;
    int socket;
  };

  std::size_t find_free() {
    std::size_t entry = 0;
    while (entries_[entry].used) ++entry;
    return entry;
  }

  void claim(std::size_t entry, int socket) {
    assert(!entries_[entry].used);
    entries_[entry] = {true, socket};
  }

  std::mutex mutex_;
  std::array<Entry, kConnectionsMax> entries_{};
  std::size_t additions_ = 0;
  long sum_ = 0;
};

// Accepted connections that no worker has taken yet.
class Backlog {
 public:
  void put(int socket) {
    std::lock_guard guard(mutex_);
    sockets_.push_back(socket);
    changed_.notify_one();
  }

  void close() {
    std::lock_guard guard(mutex_);
    closed_ = true;
    changed_.notify_all();
  }

  // -1: closed.
  int take() {
    std::unique_lock guard(mutex_);
    changed_.wait(guard, [&] { return closed_ || !sockets_.empty(); });
    if (sockets_.empty()) return -1;
    const int socket = sockets_.front();
    sockets_.pop_front();
    return socket;
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<int> sockets_;
  bool closed_ = false;
};

class Server {
 public:
  explicit Server(unsigned short port) : listener_(socket(AF_INET, SOCK_STREAM, 0)) {
    const int yes = 1;
    setsockopt(listener_, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(port);
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    if (bind(listener_, reinterpret_cast<sockaddr*>(&address), sizeof address) != 0 || listen(listener_, 16) != 0) {
      std::perror("server");
      std::exit(2);
    }
  }

  unsigned short port() const {
    sockaddr_in address{};
    socklen_t size = sizeof address;
    getsockname(listener_, reinterpret_cast<sockaddr*>(&address), &size);
    return ntohs(address.sin_port);
  }

  void accept_connections() {
    for (;;) {
      const int connection = accept(listener_, nullptr, nullptr);
      if (connection < 0) break;  // the listener was shut down
      backlog_.put(connection);
    }
    backlog_.close();
    close(listener_);
  }

  void work() {
    for (int connection = backlog_.take(); connection >= 0; connection = backlog_.take()) {
      serve(connection);
      close(connection);
    }
  }

 private:
  void serve(int connection) {
    std::string received;
    char bytes[128];
    for (ssize_t count; (count = recv(connection, bytes, sizeof bytes, 0)) > 0;) {
      received.append(bytes, static_cast<std::size_t>(count));
      for (std::size_t end; (end = received.find('\n')) != std::string::npos; received.erase(0, end + 1)) {
        const std::size_t entry = table_.enter(connection);
        const std::string reply = answer(received.substr(0, end)) + "\n";
        table_.leave(entry);
        send(connection, reply.data(), reply.size(), MSG_NOSIGNAL);
      }
    }
  }

  std::string answer(const std::string& request) {
    if (request == "QUIT") {
      shutdown(listener_, SHUT_RDWR);
      return "BYE";
    }
    if (request == "STATS") return table_.statistics();
    if (!request.starts_with("ADD ")) return "ERROR";
    table_.add(std::strtol(request.c_str() + 4, nullptr, 10));
    return "OK";
  }

  const int listener_;
  Backlog backlog_;
  ConnectionTable table_;
};

int connect_to(unsigned short port) {
  const int connection = socket(AF_INET, SOCK_STREAM, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(port);
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  if (connect(connection, reinterpret_cast<sockaddr*>(&address), sizeof address) != 0) {
    std::perror("client");
    std::exit(2);
  }
  return connection;
}

void receive_reply_and_close(int connection) {
  char bytes[128];
  recv(connection, bytes, sizeof bytes, 0);
  close(connection);
}

// The client of a server without a port argument: some concurrent requests, then QUIT.
void drive(unsigned short port, std::size_t connection_count) {
  std::vector<int> connections;
  for (std::size_t i = 0; i < connection_count; ++i) {
    connections.push_back(connect_to(port));
    send(connections.back(), "ADD 1\n", 6, MSG_NOSIGNAL);
  }
  for (int connection : connections) receive_reply_and_close(connection);
  const int last = connect_to(port);
  send(last, "QUIT\n", 5, MSG_NOSIGNAL);
  receive_reply_and_close(last);
}

std::size_t argument(int argc, char** argv, int index, std::size_t otherwise) {
  return argc > index ? std::strtoul(argv[index], nullptr, 10) : otherwise;
}

}  // namespace

int main(int argc, char** argv) {
  Server server(static_cast<unsigned short>(argument(argc, argv, 1, 0)));
  const std::size_t workers = argument(argc, argv, 2, 2);
  std::vector<std::thread> threads;
  if (argc > 1) {
    std::printf("port %u\n", server.port());
    std::fflush(stdout);
  } else {
    threads.emplace_back([&server] { drive(server.port(), 2); });
  }
  for (std::size_t i = 0; i < workers; ++i) threads.emplace_back([&server] { server.work(); });
  server.accept_connections();
  for (std::thread& thread : threads) thread.join();
  std::puts("server ended");
  return 0;
}
