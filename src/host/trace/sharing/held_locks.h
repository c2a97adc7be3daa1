#pragma once
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "trace/event.h"

namespace heddle::trace {

struct HeldLock {
  std::uint64_t object = 0;
  std::size_t since = 0;    // index of the acquiring event
  std::uint32_t depth = 1;  // number of acquisitions by the thread
  bool shared = false;      // with other readers
};

// The locks that one thread holds, in the order of acquisition.
class ThreadLocks {
 public:
  // True: the thread did not already hold the lock.
  bool take(std::uint64_t object, std::size_t since, bool shared);
  // The hold that ends. nullopt: the thread did not hold the lock, or holds it recursively.
  std::optional<HeldLock> give_up(std::uint64_t object);

  std::span<const HeldLock> all() const { return held_; }
  bool empty() const { return held_.empty(); }

 private:
  std::vector<HeldLock> held_;
};

// The locks of all threads, after each event.
class HeldLocks {
 public:
  // REQUIRES: called for every event in order.
  void add(const Event& event, std::size_t index);
  std::span<const HeldLock> of(ThreadId thread) const;

 private:
  std::vector<ThreadLocks> threads_;
};

}  // namespace heddle::trace
