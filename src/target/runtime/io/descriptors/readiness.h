#pragma once
// Which of several descriptors are ready is as much a matter of real time as what a read gives (arrivals.h), when
// others than this process's threads can make them so. So what poll, select and epoll found is in the clip too: how
// many were ready, and which. An exact replay waits until those are, and tells of no others.
#include <poll.h>
#include <sys/epoll.h>

namespace heddle::runtime {

struct Readiness {
  long result;     // as of the system call
  bool timed_out;  // the deadline has passed; a replay may come here earlier than the recorded run did
};

// Without waiting.
Readiness look_at_descriptors(pollfd* descriptors, nfds_t count, bool timed_out);
// After a successful epoll_ctl.
void note_watched(int poller, int operation, int descriptor, const epoll_event* event);
Readiness look_at_poller(int poller, epoll_event* events, int count, bool timed_out);

}  // namespace heddle::runtime
