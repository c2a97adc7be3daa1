#pragma once
// Lookups in the pending threads of a Question::Run, which are sorted by thread and not empty, as Strategy requires.
#include <cstddef>
#include <span>

#include "base/random.h"
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

// The functions below choose among the Ready threads. Without an early time-out or a deferred thread these are all.
inline ThreadId lowest(std::span<const Pending> pending) {
  for (const Pending& one : pending) {
    if (one.offer == Offer::Ready) return one.thread;
  }
  return pending.front().thread;
}

inline ThreadId highest(std::span<const Pending> pending) {
  for (std::size_t i = pending.size(); i-- > 0;) {
    if (pending[i].offer == Offer::Ready) return pending[i].thread;
  }
  return pending.back().thread;
}

// The pending thread after `thread` in a cycle by id. If a yield always passed the turn to the lowest id, two threads
// that yield to each other would starve a third one.
inline ThreadId next_in_cycle(std::span<const Pending> pending, ThreadId thread) {
  for (const Pending& other : pending) {
    if (other.thread > thread && other.offer == Offer::Ready) return other.thread;
  }
  return lowest(pending);
}

inline ThreadId previous_in_cycle(std::span<const Pending> pending, ThreadId thread) {
  for (std::size_t i = pending.size(); i-- > 0;) {
    if (pending[i].thread < thread && pending[i].offer == Offer::Ready) return pending[i].thread;
  }
  return highest(pending);
}

// A uniform draw among the threads with this offer; nullptr: there are none.
inline const Pending* draw(std::span<const Pending> pending, Offer offer, Random& random) {
  std::size_t count = 0;
  for (const Pending& one : pending) count += one.offer == offer;
  if (count == 0) return nullptr;
  std::uint64_t drawn = random.below(count);
  for (const Pending& one : pending) {
    if (one.offer == offer && drawn-- == 0) return &one;
  }
  return nullptr;
}

// Random strategies take an early time-out, if one is offered, at one choice of this number. A strategy that chooses at
// every point would otherwise fire nearly every time-out early.
inline constexpr std::uint64_t kChoicesPerEarlyTimeout = 16;
inline constexpr std::uint64_t kPointsPerEarlyTimeout = 64;

// nullptr: no time-out fires early at this choice. Without an early time-out nothing is drawn.
inline const Pending* draw_early(const Situation& situation, std::span<const Pending> pending, std::uint64_t choices,
                                 Random& random) {
  if (situation.all_ready || random.below(choices) != 0) return nullptr;
  return draw(pending, Offer::Early, random);
}

// A uniform draw among the Ready threads, or sometimes among the early time-outs.
inline ThreadId draw_next(const Situation& situation, std::span<const Pending> pending, Random& random) {
  if (situation.all_ready) return pending[random.below(pending.size())].thread;
  const Pending* const early = draw_early(situation, pending, kChoicesPerEarlyTimeout, random);
  return early != nullptr ? early->thread : draw(pending, Offer::Ready, random)->thread;
}

}  // namespace heddle::schedule
