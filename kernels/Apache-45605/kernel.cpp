// Apache-45605. The listener of the worker MPM passes a connection to a worker only if one is idle: it
// waits until the count of idle workers is not zero, and decrements it. A worker that becomes idle
// increments the count, and signals if it was zero before. Increment and signal are not atomic: the
// listener can take the idle worker before the signal, find none for its next connection and wait;
// the signal then wakes it, it does not test the count again, and the count drops below zero. After
// that it never waits, and overflows the queue. Source: Apache httpd 2.2.9, bug #45605 (multicore
// dumps, Table 2). Repair: the listener tests the count again after a wait.
//
// usage: kernel [workers] [connections]
#include <atomic>
#include <cassert>
#include <condition_variable>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <mutex>
#include <thread>
#include <vector>

namespace {

class QueueInfo {
 public:
  void set_idle() {
    const std::uint32_t idlers_before = idlers_.fetch_add(1);
    if (idlers_before != 0) return;
    std::lock_guard guard(idlers_mutex_);
    wait_for_idler_.notify_one();
  }

  void wait_for_idler() {
    if (idlers_.load() == 0) {
      std::unique_lock guard(idlers_mutex_);
      if (idlers_.load() == 0) wait_for_idler_.wait(guard);
    }
    idlers_.fetch_sub(1);
  }

 private:
  std::mutex idlers_mutex_;
  std::condition_variable wait_for_idler_;
  std::atomic<std::uint32_t> idlers_ = 0;
};

constexpr std::size_t kResponseSize = 512;

struct Connection {
  std::size_t socket;
  std::size_t bytes_asked_for;
};

// One slot per worker: a connection is pushed only for an idle worker.
class FdQueue {
 public:
  explicit FdQueue(std::size_t capacity) : elements_(capacity) {}

  void push(const Connection& connection) {
    std::lock_guard guard(one_big_mutex_);
    assert(count_ < elements_.size());
    elements_[count_++] = connection;
    not_empty_.notify_one();
  }

  // False: the queue is empty and no connection will come.
  bool pop(Connection& connection) {
    std::unique_lock guard(one_big_mutex_);
    while (count_ == 0) {
      if (terminated_) return false;
      not_empty_.wait(guard);
    }
    connection = elements_[--count_];
    return true;
  }

  void terminate() {
    std::lock_guard guard(one_big_mutex_);
    terminated_ = true;
    not_empty_.notify_all();
  }

 private:
  std::mutex one_big_mutex_;
  std::condition_variable not_empty_;
  std::vector<Connection> elements_;
  std::size_t count_ = 0;
  bool terminated_ = false;
};

struct WorkerMpm {
  explicit WorkerMpm(std::size_t workers) : worker_queue(workers) {}

  QueueInfo queue_info;
  FdQueue worker_queue;
  std::atomic<std::size_t> bytes_served = 0;
};

void worker_thread(WorkerMpm& mpm) {
  for (;;) {
    mpm.queue_info.set_idle();
    Connection connection;
    if (!mpm.worker_queue.pop(connection)) return;
    mpm.bytes_served.fetch_add(connection.bytes_asked_for);
  }
}

void listener_thread(WorkerMpm& mpm, std::size_t connections) {
  for (std::size_t i = 0; i < connections; ++i) {
    mpm.queue_info.wait_for_idler();
    mpm.worker_queue.push({i, kResponseSize});
  }
  mpm.worker_queue.terminate();
}

std::size_t argument(int argc, char** argv, int index, std::size_t otherwise) {
  return argc > index ? std::strtoul(argv[index], nullptr, 10) : otherwise;
}

}  // namespace

int main(int argc, char** argv) {
  const std::size_t worker_count = argument(argc, argv, 1, 1);
  const std::size_t connections = argument(argc, argv, 2, 8);

  WorkerMpm mpm(worker_count);
  std::vector<std::thread> workers;
  for (std::size_t i = 0; i < worker_count; ++i) workers.emplace_back(worker_thread, std::ref(mpm));
  listener_thread(mpm, connections);
  for (std::thread& worker : workers) worker.join();

  assert(mpm.bytes_served.load() == connections * kResponseSize);
  std::printf("%zu connections served\n", connections);
  return 0;
}
