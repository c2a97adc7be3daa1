// Jigsaw. The web server's client factory has two locks: its own, and that of the list of client
// states. A client that finishes a connection takes the list's lock and then the factory's, to
// update the count of idle clients; the shutdown takes the factory's lock and then the list's, to
// kill the clients. A shutdown and a finishing client can deadlock. Source: SocketClientFactory
// of W3C Jigsaw 2.2.6 (BTrigger Figure 2: lines 623 and 574 against 867 and 872). Repair: the
// shutdown takes the list's lock first.
//
// usage: kernel [clients] [connections per client]
#include <cassert>
#include <condition_variable>
#include <cstdio>
#include <cstdlib>
#include <list>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

namespace {

enum class ClientStatus { Idle, Busy, Killed };

struct ClientState {
  std::size_t id;
  ClientStatus status;
};

// The states of all clients; every access to a state holds `mutex`.
struct ClientStateList {
  std::mutex mutex;
  std::list<ClientState> states;
};

class SocketClientFactory {
 public:
  ClientState* add_client(std::size_t id) {
    increment_idle_count();
    std::lock_guard list_guard(client_list_.mutex);
    client_list_.states.push_back({id, ClientStatus::Idle});
    return &client_list_.states.back();
  }

  // False: the server is shutting down and the client must end.
  bool client_connection_started(ClientState* state) {
    {
      std::lock_guard list_guard(client_list_.mutex);
      if (state->status == ClientStatus::Killed) return false;
      state->status = ClientStatus::Busy;
    }
    decrement_idle_count();
    return true;
  }

  void client_connection_finished(ClientState* state) {
    std::lock_guard list_guard(client_list_.mutex);
    if (state->status == ClientStatus::Killed) return;
    state->status = ClientStatus::Idle;
    increment_idle_count();
  }

  // Returns the number of clients that still serve a connection.
  std::size_t kill_clients() {
    std::lock_guard factory_guard(mutex_);
    std::lock_guard list_guard(client_list_.mutex);
    std::size_t busy = 0;
    for (ClientState& state : client_list_.states) {
      if (state.status == ClientStatus::Busy) ++busy;
      if (state.status == ClientStatus::Idle) --idle_count_;
      state.status = ClientStatus::Killed;
    }
    return busy;
  }

  std::size_t idle_count() {
    std::lock_guard factory_guard(mutex_);
    return idle_count_;
  }

 private:
  void increment_idle_count() {
    std::lock_guard factory_guard(mutex_);
    ++idle_count_;
  }

  void decrement_idle_count() {
    std::lock_guard factory_guard(mutex_);
    --idle_count_;
  }

  std::mutex mutex_;
  std::size_t idle_count_ = 0;
  ClientStateList client_list_;
};

// The administrator's view: the number of connections served by all clients.
class ServedCount {
 public:
  void add() {
    std::lock_guard guard(mutex_);
    ++count_;
    changed_.notify_one();
  }

  void wait_for(std::size_t count) {
    std::unique_lock guard(mutex_);
    changed_.wait(guard, [&] { return count_ >= count; });
  }

  std::size_t count() {
    std::lock_guard guard(mutex_);
    return count_;
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  std::size_t count_ = 0;
};

std::string reply_to(const std::string& request) {
  const std::size_t path_begin = request.find(' ') + 1;
  const std::string path = request.substr(path_begin, request.find(' ', path_begin) - path_begin);
  return "HTTP/1.1 200 OK\r\n\r\n" + path;
}

class SocketClient {
 public:
  SocketClient(SocketClientFactory& factory, std::size_t id, ServedCount& served)
      : factory_(factory), state_(factory.add_client(id)), served_(served) {}

  void serve(std::size_t connections) {
    for (std::size_t i = 0; i < connections; ++i) {
      if (!factory_.client_connection_started(state_)) return;
      const std::string reply = reply_to("GET /page/" + std::to_string(i) + " HTTP/1.1\r\n\r\n");
      assert(reply.ends_with("/page/" + std::to_string(i)));
      factory_.client_connection_finished(state_);
      served_.add();
    }
  }

 private:
  SocketClientFactory& factory_;
  ClientState* const state_;
  ServedCount& served_;
};

std::size_t argument(int argc, char** argv, int index, std::size_t otherwise) {
  return argc > index ? std::strtoul(argv[index], nullptr, 10) : otherwise;
}

}  // namespace

int main(int argc, char** argv) {
  const std::size_t client_count = argument(argc, argv, 1, 2);
  const std::size_t connections = argument(argc, argv, 2, 2);

  SocketClientFactory factory;
  ServedCount served;
  std::vector<std::unique_ptr<SocketClient>> clients;
  for (std::size_t i = 0; i < client_count; ++i) {
    clients.push_back(std::make_unique<SocketClient>(factory, i, served));
  }

  std::vector<std::thread> threads;
  for (auto& client : clients) {
    threads.emplace_back([&client, connections] { client->serve(connections); });
  }
  served.wait_for(client_count * connections / 2);
  const std::size_t busy = factory.kill_clients();
  for (std::thread& thread : threads) thread.join();

  assert(busy <= client_count);
  assert(factory.idle_count() == 0);
  assert(served.count() <= client_count * connections);
  std::puts("shut down");
  return 0;
}
