// Hedc. A meta search sends one task to each archive; a pool of workers runs them. When enough
// archives have answered the request cancels the others: if the task has a thread, the thread is
// interrupted. The worker clears the thread of a task at its end, which may happen between the test
// and the interruption; the request then dereferences a null pointer. Source: the
// tasks of ETH's web crawler hedc (BTrigger Table 1, hedc race1 and race2; PECAN Table 1). Repair:
// a lock around both the cancellation and the end of a task.
//
// usage: kernel [workers] [archives] [pages per archive]
#include <atomic>
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

// The operations of other threads on a worker's thread.
class Worker {
 public:
  void interrupt() { interrupted_.store(true); }
  bool take_interrupt() { return interrupted_.exchange(false); }

 private:
  std::atomic<bool> interrupted_ = false;
};

// The results so far, and the cancelled tasks.
class Results {
 public:
  void add(const std::string& page) {
    std::lock_guard guard(mutex_);
    pages_.push_back(page);
  }

  void task_done() {
    std::lock_guard guard(mutex_);
    ++done_;
    changed_.notify_all();
  }

  void note_cancelled(const std::string& archive) {
    std::lock_guard guard(mutex_);
    cancelled_.push_back(archive);
  }

  void wait_for(std::size_t tasks) {
    std::unique_lock guard(mutex_);
    changed_.wait(guard, [&] { return done_ >= tasks; });
  }

  std::size_t pages() {
    std::lock_guard guard(mutex_);
    return pages_.size();
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<std::string> pages_;
  std::vector<std::string> cancelled_;
  std::size_t done_ = 0;
};

class Task {
 public:
  Task(std::string archive, std::size_t pages, Results& results)
      : archive_(std::move(archive)), pages_(pages), results_(results) {}

  void run(Worker& worker) {
    thread_ = &worker;
    for (std::size_t i = 0; i < pages_ && !worker.take_interrupt(); ++i) {
      results_.add(archive_ + "/page" + std::to_string(i));
    }
    thread_ = nullptr;
    results_.task_done();
  }

  void cancel() {
    if (thread_ == nullptr) return;
    results_.note_cancelled(archive_);
    thread_->interrupt();
  }

 private:
  const std::string archive_;
  const std::size_t pages_;
  Results& results_;
  Worker* thread_ = nullptr;
};

class TaskQueue {
 public:
  explicit TaskQueue(const std::vector<std::unique_ptr<Task>>& tasks) {
    for (const auto& task : tasks) tasks_.push_back(task.get());
  }

  Task* take() {
    std::lock_guard guard(mutex_);
    if (tasks_.empty()) return nullptr;
    Task* const task = tasks_.front();
    tasks_.pop_front();
    return task;
  }

 private:
  std::mutex mutex_;
  std::deque<Task*> tasks_;
};

void work(TaskQueue& queue, Worker& self) {
  while (Task* task = queue.take()) task->run(self);
}

std::size_t argument(int argc, char** argv, int index, std::size_t otherwise) {
  return argc > index ? std::strtoul(argv[index], nullptr, 10) : otherwise;
}

}  // namespace

int main(int argc, char** argv) {
  const std::size_t worker_count = argument(argc, argv, 1, 1);
  const std::size_t archives = argument(argc, argv, 2, 2);
  const std::size_t pages = argument(argc, argv, 3, 1);

  Results results;
  std::vector<std::unique_ptr<Task>> tasks;
  for (std::size_t i = 0; i < archives; ++i) {
    tasks.push_back(std::make_unique<Task>("archive" + std::to_string(i), pages, results));
  }
  TaskQueue queue(tasks);
  std::vector<Worker> workers(worker_count);
  std::vector<std::thread> threads;
  for (Worker& worker : workers) threads.emplace_back([&queue, &worker] { work(queue, worker); });

  results.wait_for((archives + 1) / 2);
  for (const auto& task : tasks) task->cancel();
  for (std::thread& thread : threads) thread.join();

  assert(results.pages() <= archives * pages);
  std::puts("search answered");
  return 0;
}
