// Jigsaw-missed-notification. The accepting thread passes a connection to a free client thread; if
// none is free it waits for one. It searches a free client in one critical section and waits in
// another. The notification of a client that becomes free in between is lost, and if it was the last
// busy one, the server waits forever while all its clients are idle. Source: W3C Jigsaw 2.2.6 (BTrigger
// Table 1, jigsaw missed-notify1; the paper gives the stall, not the place). Repair: search and wait
// are one critical section.
//
// usage: kernel [clients] [connections]
#include <cassert>
#include <condition_variable>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

namespace {

class SocketClient;

class SocketClientPool {
 public:
  void client_free(SocketClient* client) {
    std::lock_guard guard(mutex_);
    free_.push_back(client);
    client_became_free_.notify_one();
  }

  // The free client that has been idle longest; waits while there is none.
  SocketClient* take_free() {
    for (;;) {
      if (SocketClient* client = find_free()) return client;
      wait_for_free();
    }
  }

 private:
  SocketClient* find_free() {
    std::lock_guard guard(mutex_);
    if (free_.empty()) return nullptr;
    SocketClient* const client = free_.front();
    free_.erase(free_.begin());
    return client;
  }

  void wait_for_free() {
    std::unique_lock guard(mutex_);
    client_became_free_.wait(guard);
  }

  std::mutex mutex_;
  std::condition_variable client_became_free_;
  std::vector<SocketClient*> free_;
};

// A thread that serves connections in sequence.
class SocketClient {
 public:
  explicit SocketClient(SocketClientPool& pool) : pool_(pool) { pool_.client_free(this); }

  void bind(std::string request) {
    std::lock_guard guard(mutex_);
    request_ = std::move(request);
    changed_.notify_one();
  }

  void kill() {
    std::lock_guard guard(mutex_);
    killed_ = true;
    changed_.notify_one();
  }

  void run() {
    for (;;) {
      {
        std::unique_lock guard(mutex_);
        while (request_.empty()) {
          if (killed_) return;
          changed_.wait(guard);
        }
        reply_to(request_);
        request_.clear();
      }
      pool_.client_free(this);
    }
  }

  std::size_t served() {
    std::lock_guard guard(mutex_);
    return served_;
  }

 private:
  void reply_to(const std::string& request) {
    last_reply_ = request.substr(request.find('/'));
    ++served_;
  }

  SocketClientPool& pool_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::string request_;
  std::string last_reply_;
  bool killed_ = false;
  std::size_t served_ = 0;
};

std::size_t argument(int argc, char** argv, int index, std::size_t otherwise) {
  return argc > index ? std::strtoul(argv[index], nullptr, 10) : otherwise;
}

}  // namespace

int main(int argc, char** argv) {
  const std::size_t client_count = argument(argc, argv, 1, 1);
  const std::size_t connections = argument(argc, argv, 2, 3);

  SocketClientPool pool;
  std::vector<std::unique_ptr<SocketClient>> clients;
  for (std::size_t i = 0; i < client_count; ++i) clients.push_back(std::make_unique<SocketClient>(pool));
  std::vector<std::thread> threads;
  for (auto& client : clients) threads.emplace_back([&client] { client->run(); });

  for (std::size_t i = 0; i < connections; ++i) {
    pool.take_free()->bind("GET /page/" + std::to_string(i));
  }
  for (auto& client : clients) client->kill();
  for (std::thread& thread : threads) thread.join();

  std::size_t served = 0;
  for (auto& client : clients) served += client->served();
  assert(served == connections);
  std::puts("all connections served");
  return 0;
}
