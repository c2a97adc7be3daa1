// Jigsaw-race, repaired: the count of connections is decremented under the lock.
//
// usage: fixed [clients] [connections per client]
#include <cassert>
#include <condition_variable>
#include <cstdio>
#include <cstdlib>
#include <deque>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

namespace {

class SocketClientFactory {
 public:
  void connection_accepted() {
    std::lock_guard guard(mutex_);
    ++pending_;
  }

  void connection_finished() {
    std::lock_guard guard(mutex_);
    --pending_;
    changed_.notify_all();
  }

  void wait_until_idle() {
    std::unique_lock guard(mutex_);
    while (pending_ != 0) changed_.wait(guard);
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  std::size_t pending_ = 0;
};

// A thread with a backlog of connections of its own.
class SocketClient {
 public:
  explicit SocketClient(SocketClientFactory& factory) : factory_(factory) {}

  void accept(std::string path) {
    factory_.connection_accepted();
    backlog_.push_back(std::move(path));
  }

  void run() {
    for (; !backlog_.empty(); backlog_.pop_front()) {
      bytes_served_ += backlog_.front().size();
      factory_.connection_finished();
    }
  }

  std::size_t bytes_served() const { return bytes_served_; }

 private:
  SocketClientFactory& factory_;
  std::deque<std::string> backlog_;
  std::size_t bytes_served_ = 0;
};

std::size_t argument(int argc, char** argv, int index, std::size_t otherwise) {
  return argc > index ? std::strtoul(argv[index], nullptr, 10) : otherwise;
}

}  // namespace

int main(int argc, char** argv) {
  const std::size_t client_count = argument(argc, argv, 1, 2);
  const std::size_t connections = argument(argc, argv, 2, 1);

  SocketClientFactory factory;
  std::vector<std::unique_ptr<SocketClient>> clients;
  std::size_t bytes = 0;
  for (std::size_t i = 0; i < client_count; ++i) {
    clients.push_back(std::make_unique<SocketClient>(factory));
    for (std::size_t n = 0; n < connections; ++n) {
      const std::string path = "/page/" + std::to_string(n);
      bytes += path.size();
      clients.back()->accept(path);
    }
  }
  std::vector<std::thread> threads;
  for (auto& client : clients) threads.emplace_back([&client] { client->run(); });
  factory.wait_until_idle();
  for (std::thread& thread : threads) thread.join();

  for (const auto& client : clients) bytes -= client->bytes_served();
  assert(bytes == 0);
  std::puts("shut down");
  return 0;
}
