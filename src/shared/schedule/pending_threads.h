#pragma once
// Lookups in the pending threads of a Question::Run. All spans are sorted by thread and not empty, as Strategy
// requires.
#include <cstddef>
#include <span>

#include "schedule/strategy.h"

namespace heddle::schedule {

// nullptr: the thread is not pending.
inline const Pending* find_pending(std::span<const Pending> pending, ThreadId thread) {
  std::size_t begin = 0;
  std::size_t end = pending.size();
  while (begin < end) {
    const std::size_t middle = begin + (end - begin) / 2;
    if (pending[middle].thread < thread) {
      begin = middle + 1;
    } else {
      end = middle;
    }
  }
  return begin < pending.size() && pending[begin].thread == thread ? &pending[begin] : nullptr;
}

inline ThreadId lowest(std::span<const Pending> pending) { return pending.front().thread; }
inline ThreadId highest(std::span<const Pending> pending) { return pending.back().thread; }

// The pending thread after `thread` in a circle by id. If a yield always passed the turn to the lowest id, two threads
// that yield to each other would starve a third one.
inline ThreadId next_in_circle(std::span<const Pending> pending, ThreadId thread) {
  for (const Pending& other : pending) {
    if (other.thread > thread) return other.thread;
  }
  return lowest(pending);
}

inline ThreadId previous_in_circle(std::span<const Pending> pending, ThreadId thread) {
  for (std::size_t i = pending.size(); i-- > 0;) {
    if (pending[i].thread < thread) return pending[i].thread;
  }
  return highest(pending);
}

}  // namespace heddle::schedule
