#pragma once
#include <atomic>
#include <functional>
#include <thread>
#include <utility>

#include "slice/log/execution_log.h"

namespace heddle::slice {

// Frees log memory on a thread of its own while the backward pass advances. Freeing hundreds of megabytes afterwards
// would add a tenth to the time of the pass.
class LogRelease {
 public:
  // `drop` frees all entries from a place on. It is called on the thread of this class.
  explicit LogRelease(std::function<void(LogPlace)> drop) : drop_(std::move(drop)), thread_([this] { run(); }) {}
  LogRelease(const LogRelease&) = delete;
  LogRelease& operator=(const LogRelease&) = delete;
  ~LogRelease() { release_from(0); }

  // REQUIRES: `place` is before the place of the last call.
  void release_from(LogPlace place) {
    from_.store(place, std::memory_order_release);
    from_.notify_one();
  }

 private:
  void run() {
    for (LogPlace done = kNothing; done != 0;) {
      from_.wait(done, std::memory_order_acquire);
      done = from_.load(std::memory_order_acquire);
      drop_(done);
    }
  }

  static constexpr LogPlace kNothing = ~LogPlace{0};
  const std::function<void(LogPlace)> drop_;
  std::atomic<LogPlace> from_ = kNothing;
  std::jthread thread_;
};

}  // namespace heddle::slice
