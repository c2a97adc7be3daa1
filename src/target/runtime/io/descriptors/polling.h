#pragma once
// poll, select, epoll. Deadlines are in virtual time; kNoDeadline: none. All return -errno or the result of the system
// call.
#include <poll.h>
#include <signal.h>
#include <sys/epoll.h>
#include <sys/select.h>

#include <cstdint>

namespace heddle::runtime {

// The deadline for a time-out of poll: milliseconds, negative for none.
std::uint64_t deadline_in_ms(int timeout_ms);

// `mask` may be nullptr.
long controlled_poll(pollfd* descriptors, nfds_t count, std::uint64_t deadline_ns, const sigset_t* mask);
long controlled_select(int count, fd_set* read, fd_set* write, fd_set* error, std::uint64_t deadline_ns,
                       const sigset_t* mask);
long controlled_epoll_wait(int poller, epoll_event* events, int count, std::uint64_t deadline_ns, const sigset_t* mask);

}  // namespace heddle::runtime
