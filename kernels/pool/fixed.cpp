// pool, repaired: an invalidation notifies waiting borrowers, as a return does.
//
// usage: fixed [clients] [queries per client] [objects in the pool]
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

// A connection to a data base; the server closes it after some queries.
class Connection {
 public:
  explicit Connection(std::size_t queries_left) : queries_left_(queries_left) {}

  std::string query(const std::string& text) {
    if (queries_left_ > 0) --queries_left_;
    return "answer to " + text;
  }

  bool is_open() const { return queries_left_ > 0; }

 private:
  std::size_t queries_left_;
};

class GenericObjectPool {
 public:
  GenericObjectPool(std::size_t active_max, std::size_t queries_per_connection)
      : active_max_(active_max), queries_per_connection_(queries_per_connection) {}

  std::unique_ptr<Connection> borrow_object() {
    std::unique_lock guard(mutex_);
    while (idle_.empty() && active_ == active_max_) available_.wait(guard);
    ++active_;
    if (idle_.empty()) return std::make_unique<Connection>(queries_per_connection_);
    std::unique_ptr<Connection> object = std::move(idle_.back());
    idle_.pop_back();
    return object;
  }

  void return_object(std::unique_ptr<Connection> object) {
    std::lock_guard guard(mutex_);
    --active_;
    idle_.push_back(std::move(object));
    available_.notify_one();
  }

  void invalidate_object(std::unique_ptr<Connection> object) {
    object.reset();
    std::lock_guard guard(mutex_);
    --active_;
    available_.notify_one();
  }

  std::size_t active() {
    std::lock_guard guard(mutex_);
    return active_;
  }

 private:
  std::mutex mutex_;
  std::condition_variable available_;
  const std::size_t active_max_;
  const std::size_t queries_per_connection_;
  std::size_t active_ = 0;
  std::vector<std::unique_ptr<Connection>> idle_;
};

void run_client(GenericObjectPool& pool, std::size_t client, std::size_t queries) {
  for (std::size_t i = 0; i < queries; ++i) {
    std::unique_ptr<Connection> connection = pool.borrow_object();
    const std::string question = "question " + std::to_string(client) + "." + std::to_string(i);
    assert(connection->query(question).ends_with(question));
    if (connection->is_open()) {
      pool.return_object(std::move(connection));
    } else {
      pool.invalidate_object(std::move(connection));
    }
  }
}

std::size_t argument(int argc, char** argv, int index, std::size_t otherwise) {
  return argc > index ? std::strtoul(argv[index], nullptr, 10) : otherwise;
}

}  // namespace

int main(int argc, char** argv) {
  const std::size_t clients = argument(argc, argv, 1, 2);
  const std::size_t queries = argument(argc, argv, 2, 2);
  const std::size_t objects = argument(argc, argv, 3, 1);

  GenericObjectPool pool(objects, 2 * queries - 1);
  std::vector<std::thread> threads;
  for (std::size_t i = 0; i < clients; ++i) {
    threads.emplace_back([&pool, i, queries] { run_client(pool, i, queries); });
  }
  for (std::thread& thread : threads) thread.join();

  assert(pool.active() == 0);
  std::puts("all answered");
  return 0;
}
