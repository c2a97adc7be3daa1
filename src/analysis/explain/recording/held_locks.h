#pragma once
#include <cstdint>
#include <vector>

#include "explain/recording/recording.h"

namespace heddle::explain {

// A lock and the event by which its holder got it.
struct HeldLock {
  std::uint64_t object = 0;
  std::size_t since = 0;  // event
};

// Follows who holds which locks, event by event.
class HeldLocks {
 public:
  // REQUIRES: called for every event in order.
  void add(const trace::Event& event, std::size_t index);
  const std::vector<HeldLock>& of(ThreadId thread) const;

 private:
  std::vector<std::vector<HeldLock>> held_;
};

// The locks of the event's thread right before it.
std::vector<HeldLock> locks_at(const Recording& recording, std::size_t event);

}  // namespace heddle::explain
