#pragma once
#include <cstdint>
#include <vector>

#include "trace/event.h"

namespace heddle::trace {

// The order of events that holds in every schedule: all that a thread does before a fork comes before the child, and
// all of a thread comes before the events after its join. Locks do not count: in another schedule the threads may
// acquire a lock in the opposite order.
//
// Forks and joins divide each thread into segments. Each thread has one vector clock of segments.
class ForkJoinOrder {
 public:
  using Segment = std::uint32_t;

  // REQUIRES (but for add()): threads are below kThreadsMax.
  static constexpr std::uint32_t kThreadsMax = 1u << 22;

  // The current segment of the thread.
  Segment segment(ThreadId thread) const;
  // True if the segment of `earlier` comes before the next event of `now` in every schedule.
  bool ordered(ThreadId earlier, Segment segment, ThreadId now) const;

  void fork(ThreadId parent, ThreadId child);
  void join(ThreadId waiter, ThreadId ended);
  // Takes any event. True: it was a successful fork or join.
  bool add(const Event& event);

 private:
  struct Clock {
    Segment segment = 1;
    std::vector<Segment> before;  // by thread: the last segment that comes before; 0 or missing: none
  };

  Clock& clock_of(ThreadId thread);

  std::vector<Clock> clocks_;  // by thread
};

}  // namespace heddle::trace
