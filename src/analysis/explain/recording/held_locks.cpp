#include "explain/recording/held_locks.h"

namespace heddle::explain {

using format::EventKind;

void HeldLocks::add(const trace::Event& event, std::size_t index) {
  const std::size_t thread = number(event.thread);
  if (thread >= held_.size()) held_.resize(thread + 1);
  std::vector<HeldLock>& locks = held_[thread];
  switch (event.kind) {
    case EventKind::TryLock:
    case EventKind::TryReadLock:
      if (event.has_value() && event.value == 0) break;
      [[fallthrough]];
    case EventKind::Lock:
    case EventKind::ReadLock:
      locks.push_back({event.object, index});
      break;
    case EventKind::Unlock:
    case EventKind::ReadUnlock:
      // A recursive lock is given up as often as it was taken, the latest first.
      for (std::size_t i = locks.size(); i-- > 0;) {
        if (locks[i].object != event.object) continue;
        locks.erase(locks.begin() + static_cast<std::ptrdiff_t>(i));
        break;
      }
      break;
    default:
      break;
  }
}

const std::vector<HeldLock>& HeldLocks::of(ThreadId thread) const {
  static const std::vector<HeldLock> none;
  return number(thread) < held_.size() ? held_[number(thread)] : none;
}

std::vector<HeldLock> locks_at(const Recording& recording, std::size_t event) {
  HeldLocks locks;
  for (std::size_t i = 0; i < event; ++i) locks.add(recording.events[i], i);
  return locks.of(recording.events[event].thread);
}

}  // namespace heddle::explain
