#pragma once
// Lookups in the pending threads of a Question::Run, which are sorted by thread and not empty, as Strategy requires.
#include <cstddef>
#include <span>

#include "base/search.h"
#include "schedule/strategy.h"

namespace heddle::schedule {

// nullptr: the thread is not pending.
inline const Pending* find_pending(std::span<const Pending> pending, ThreadId thread) {
  const std::size_t at = search(pending.size(), [&](std::size_t i) { return pending[i].thread < thread; });
  return at < pending.size() && pending[at].thread == thread ? &pending[at] : nullptr;
}

// For the threads of a Question::Wake too, which are not sorted.
inline bool is_among(std::span<const Pending> pending, ThreadId thread) {
  for (const Pending& one : pending)
    if (one.thread == thread) return true;
  return false;
}

// The answer to a Question::Wake from a list of descents: the next thread of the list if it waits, otherwise the first
// waiting thread.
inline ThreadId choose_woken(std::span<const std::uint32_t> choices, std::size_t& next, ThreadOfDescent thread_of,
                             std::span<const Pending> waiting) {
  if (next == choices.size()) return waiting.front().thread;
  const ThreadId wanted = thread_of(choices[next++]);
  return is_among(waiting, wanted) ? wanted : waiting.front().thread;
}

inline ThreadId lowest(std::span<const Pending> pending) { return pending.front().thread; }
inline ThreadId highest(std::span<const Pending> pending) { return pending.back().thread; }

// The pending thread after `thread` in cyclic order of ids. If a yield always passed the turn to the lowest id, two
// threads that yield to each other would starve a third one.
inline ThreadId next_in_cycle(std::span<const Pending> pending, ThreadId thread) {
  for (const Pending& other : pending) {
    if (other.thread > thread) return other.thread;
  }
  return lowest(pending);
}

inline ThreadId previous_in_cycle(std::span<const Pending> pending, ThreadId thread) {
  for (std::size_t i = pending.size(); i-- > 0;) {
    if (pending[i].thread < thread) return pending[i].thread;
  }
  return highest(pending);
}

}  // namespace heddle::schedule
