#pragma once
// If other processes can make descriptors ready, the result of poll, select and epoll depends on real time, like the
// result of a read (arrivals.h). The clip therefore records how many descriptors were ready, and which. An exact replay
// waits for exactly these and reports no others.
#include <poll.h>
#include <sys/epoll.h>

namespace heddle::runtime {

struct Readiness {
  long result;     // of the system call
  bool timed_out;  // the deadline had passed in the recorded run, or has passed in this one
};

// Polls without waiting.
Readiness poll_descriptors(pollfd* descriptors, nfds_t count, bool timed_out);
Readiness poll_poller(int poller, epoll_event* events, int count, bool timed_out);
// REQUIRES: epoll_ctl with these arguments succeeded.
void note_watched(int poller, int operation, int descriptor, const epoll_event* event);

}  // namespace heddle::runtime
