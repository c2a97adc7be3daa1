// Manager, repaired: a releaser leaves its note in the critical section that found none.
//
// usage: fixed [releasers] [requests]
#include <cassert>
#include <condition_variable>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <mutex>
#include <thread>
#include <vector>

namespace {

struct Block {
  std::size_t number;
  char data[32];
};

class Manager {
 public:
  explicit Manager(std::size_t requests) : requests_(requests) {}

  void allocate_blocks(std::size_t count) {
    for (std::size_t i = 0; i < count; ++i) put_back({i, "in use"});
  }

  // The main loop of a releaser, until no request is left.
  void release_blocks() {
    while (requests() > 0) {
      Block block = pick_block();
      std::memset(block.data, 0, sizeof block.data);
      leave_note();
      const bool released = may_release();
      if (released) release();
      remove_note();
      if (!released) put_back(block);
      wait_until_booked();
    }
  }

  // The main loop of the handler: books one release per request.
  void book_releases() {
    while (requests() > 0) {
      std::unique_lock guard(release_mutex_);
      release_changed_.wait(guard, [&] { return release_waits_; });
      take_request_off();
      release_waits_ = false;
      release_changed_.notify_all();
    }
  }

  std::size_t released() {
    std::lock_guard guard(release_mutex_);
    return released_;
  }

 private:
  Block pick_block() {
    std::lock_guard guard(block_mutex_);
    const Block block = blocks_in_use_.back();
    blocks_in_use_.pop_back();
    return block;
  }

  void put_back(const Block& block) {
    std::lock_guard guard(block_mutex_);
    blocks_in_use_.push_back(block);
  }

  void leave_note() {
    std::unique_lock guard(note_mutex_);
    note_removed_.wait(guard, [&] { return notes_ == 0; });
    ++notes_;
  }

  void remove_note() {
    std::lock_guard guard(note_mutex_);
    --notes_;
    note_removed_.notify_all();
  }

  std::size_t requests() {
    std::lock_guard guard(request_mutex_);
    return requests_;
  }

  void take_request_off() {
    std::lock_guard guard(request_mutex_);
    --requests_;
  }

  bool may_release() {
    std::lock_guard guard(release_mutex_);
    return !release_waits_ && requests() > 0;
  }

  void release() {
    std::lock_guard guard(release_mutex_);
    ++released_;
    release_waits_ = true;
    release_changed_.notify_all();
  }

  void wait_until_booked() {
    std::unique_lock guard(release_mutex_);
    release_changed_.wait(guard, [&] { return !release_waits_ || requests() == 0; });
  }

  std::mutex note_mutex_;
  std::condition_variable note_removed_;
  std::size_t notes_ = 0;

  std::mutex release_mutex_;
  std::condition_variable release_changed_;
  bool release_waits_ = false;  // a release was made and is not booked yet
  std::size_t released_ = 0;

  std::mutex request_mutex_;
  std::size_t requests_;

  std::mutex block_mutex_;
  std::vector<Block> blocks_in_use_;
};

std::size_t argument(int argc, char** argv, int index, std::size_t otherwise) {
  return argc > index ? std::strtoul(argv[index], nullptr, 10) : otherwise;
}

}  // namespace

int main(int argc, char** argv) {
  const std::size_t releasers = argument(argc, argv, 1, 2);
  const std::size_t requests = argument(argc, argv, 2, 2);

  Manager manager(requests);
  std::thread handler([&] { manager.book_releases(); });
  std::vector<std::thread> threads;
  for (std::size_t i = 0; i < releasers; ++i) {
    manager.allocate_blocks(2 * requests + 1);  // some blocks stay in use
    threads.emplace_back([&] { manager.release_blocks(); });
  }
  for (std::thread& thread : threads) thread.join();
  handler.join();

  assert(manager.released() == requests);
  std::puts("records match");
  return 0;
}
