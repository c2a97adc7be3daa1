#pragma once
#include <cstdint>
#include <vector>

#include "trace/event.h"

namespace heddle::trace {

// Which stretches of a run come before which, whatever the schedule: what a thread did before it forked another comes
// before all of that one, and all of a thread comes before what follows its join. Nothing else is certain: a lock that
// was taken after another thread gave it up could have been taken before.
//
// A life of a thread is cut into segments by its forks and joins. One vector clock a thread.
class ForkJoinOrder {
 public:
  using Segment = std::uint32_t;

  // REQUIRES (but for add()): threads are below kThreadsMax.
  static constexpr std::uint32_t kThreadsMax = 1u << 22;

  // The one that the thread is in now.
  Segment segment(ThreadId thread) const;
  // Whether what `earlier` did in `segment` comes before what `now` does next, in every schedule.
  bool ordered(ThreadId earlier, Segment segment, ThreadId now) const;

  void fork(ThreadId parent, ThreadId child);
  void join(ThreadId waiter, ThreadId ended);
  // An event of any kind and with any thread. True: it is a fork or a join.
  bool add(const Event& event);

 private:
  struct Clock {
    Segment segment = 1;
    std::vector<Segment> before;  // by thread: its last segment that comes before; 0 and what is missing: none
  };

  Clock& clock_of(ThreadId thread);

  std::vector<Clock> clocks_;  // by thread
};

}  // namespace heddle::trace
