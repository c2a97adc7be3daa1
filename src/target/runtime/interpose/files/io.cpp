// Calls that may wait for a descriptor or that create, copy and close descriptors, under their names in libc. All of
// them pass through controlled_syscall().
#include <fcntl.h>
#include <mqueue.h>
#include <poll.h>
#include <stdarg.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/select.h>
#include <sys/sendfile.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#include "runtime/interpose/threads/cancellation.h"
#include "runtime/io/controlled_syscall.h"
#include "runtime/os/libc_result.h"
#include "runtime/os/real.h"
#include "runtime/schedule/scheduler.h"
#include "runtime/schedule/work.h"

using namespace heddle::runtime;

namespace {

template <long kNumber, typename... Arguments>
long perform(Arguments... arguments) {
  spend(work::kSystemCallNs);
  const long words[6] = {(long)(arguments)...};
  return libc_result(controlled_syscall(kNumber, words[0], words[1], words[2], words[3], words[4], words[5]));
}

template <long kNumber, typename... Arguments>
long perform_cancellable(Arguments... arguments) {
  test_cancellation();
  return perform<kNumber>(arguments...);
}

// The interposed function performs the system call of the same name.
#define HEDDLE_CALL(result, name, parameters, arguments) \
  HEDDLE_INTERPOSED(result, name, parameters, arguments, perform<SYS_##name> arguments)
#define HEDDLE_CANCELLATION_POINT(result, name, parameters, arguments) \
  HEDDLE_INTERPOSED(result, name, parameters, arguments, perform_cancellable<SYS_##name> arguments)

}  // namespace

// Bytes.
HEDDLE_CANCELLATION_POINT(ssize_t, read, (int fd, void* buffer, size_t size), (fd, buffer, size))
HEDDLE_CANCELLATION_POINT(ssize_t, write, (int fd, const void* buffer, size_t size), (fd, buffer, size))
HEDDLE_CANCELLATION_POINT(ssize_t, readv, (int fd, const iovec* pieces, int count), (fd, pieces, count))
HEDDLE_CANCELLATION_POINT(ssize_t, writev, (int fd, const iovec* pieces, int count), (fd, pieces, count))
HEDDLE_CANCELLATION_POINT(ssize_t, splice,
                          (int from, off64_t* from_at, int to, off64_t* to_at, size_t size, unsigned flags),
                          (from, from_at, to, to_at, size, flags))
HEDDLE_CANCELLATION_POINT(ssize_t, tee, (int from, int to, size_t size, unsigned flags), (from, to, size, flags))
HEDDLE_CALL(ssize_t, sendfile, (int to, int from, off_t* offset, size_t size) noexcept, (to, from, offset, size))

// Files never block. They are here as cancellation points, and because a system call made inside libc costs more: it
// has to be caught.
HEDDLE_INTERPOSED(ssize_t, pread, (int fd, void* buffer, size_t size, off_t offset), (fd, buffer, size, offset),
                  perform_cancellable<SYS_pread64>(fd, buffer, size, offset))
HEDDLE_INTERPOSE ssize_t pread64(int fd, void* buffer, size_t size, off64_t offset) {
  return pread(fd, buffer, size, offset);
}
HEDDLE_INTERPOSED(ssize_t, pwrite, (int fd, const void* buffer, size_t size, off_t offset), (fd, buffer, size, offset),
                  perform_cancellable<SYS_pwrite64>(fd, buffer, size, offset))
HEDDLE_INTERPOSE ssize_t pwrite64(int fd, const void* buffer, size_t size, off64_t offset) {
  return pwrite(fd, buffer, size, offset);
}
HEDDLE_CALL(off_t, lseek, (int fd, off_t offset, int whence) noexcept, (fd, offset, whence))
HEDDLE_INTERPOSE off64_t lseek64(int fd, off64_t offset, int whence) noexcept { return lseek(fd, offset, whence); }
HEDDLE_CANCELLATION_POINT(int, fsync, (int fd), (fd))
HEDDLE_CANCELLATION_POINT(int, fdatasync, (int fd), (fd))
HEDDLE_CANCELLATION_POINT(int, msync, (void* address, size_t size, int flags), (address, size, flags))

// Messages.
HEDDLE_INTERPOSED(ssize_t, recv, (int fd, void* buffer, size_t size, int flags), (fd, buffer, size, flags),
                  perform_cancellable<SYS_recvfrom>(fd, buffer, size, flags, nullptr, nullptr))
HEDDLE_CANCELLATION_POINT(ssize_t, recvfrom,
                          (int fd, void* __restrict buffer, size_t size, int flags, sockaddr* __restrict address,
                           socklen_t* __restrict address_size),
                          (fd, buffer, size, flags, address, address_size))
HEDDLE_CANCELLATION_POINT(ssize_t, recvmsg, (int fd, msghdr* message, int flags), (fd, message, flags))
HEDDLE_CANCELLATION_POINT(int, recvmmsg, (int fd, mmsghdr* messages, unsigned count, int flags, timespec* timeout),
                          (fd, messages, count, flags, timeout))
HEDDLE_INTERPOSED(ssize_t, send, (int fd, const void* buffer, size_t size, int flags), (fd, buffer, size, flags),
                  perform_cancellable<SYS_sendto>(fd, buffer, size, flags, nullptr, 0))
HEDDLE_CANCELLATION_POINT(ssize_t, sendto,
                          (int fd, const void* buffer, size_t size, int flags, const sockaddr* address,
                           socklen_t address_size),
                          (fd, buffer, size, flags, address, address_size))
HEDDLE_CANCELLATION_POINT(ssize_t, sendmsg, (int fd, const msghdr* message, int flags), (fd, message, flags))
HEDDLE_CANCELLATION_POINT(int, sendmmsg, (int fd, mmsghdr* messages, unsigned count, int flags),
                          (fd, messages, count, flags))
HEDDLE_CANCELLATION_POINT(int, accept, (int fd, sockaddr* __restrict address, socklen_t* __restrict size),
                          (fd, address, size))
HEDDLE_CANCELLATION_POINT(int, accept4, (int fd, sockaddr* __restrict address, socklen_t* __restrict size, int flags),
                          (fd, address, size, flags))
HEDDLE_CANCELLATION_POINT(int, connect, (int fd, const sockaddr* address, socklen_t size), (fd, address, size))
HEDDLE_CALL(int, shutdown, (int fd, int how) noexcept, (fd, how))

// Several descriptors in one call.
HEDDLE_CANCELLATION_POINT(int, poll, (pollfd * descriptors, nfds_t count, int timeout), (descriptors, count, timeout))
HEDDLE_INTERPOSED(int, ppoll, (pollfd * descriptors, nfds_t count, const timespec* timeout, const sigset_t* mask),
                  (descriptors, count, timeout, mask),
                  perform_cancellable<SYS_ppoll>(descriptors, count, timeout, mask, 8))
HEDDLE_CANCELLATION_POINT(int, select,
                          (int count, fd_set* __restrict readable, fd_set* __restrict writable,
                           fd_set* __restrict exceptional, timeval* __restrict timeout),
                          (count, readable, writable, exceptional, timeout))
HEDDLE_CANCELLATION_POINT(int, epoll_wait, (int fd, epoll_event* events, int count, int timeout),
                          (fd, events, count, timeout))
HEDDLE_INTERPOSED(int, epoll_pwait, (int fd, epoll_event* events, int count, int timeout, const sigset_t* mask),
                  (fd, events, count, timeout, mask),
                  perform_cancellable<SYS_epoll_pwait>(fd, events, count, timeout, mask, 8))
HEDDLE_INTERPOSED(int, epoll_pwait2,
                  (int fd, epoll_event* events, int count, const timespec* timeout, const sigset_t* mask),
                  (fd, events, count, timeout, mask),
                  perform_cancellable<SYS_epoll_pwait2>(fd, events, count, timeout, mask, 8))
HEDDLE_CALL(int, epoll_create, (int size) noexcept, (size))
HEDDLE_CALL(int, epoll_create1, (int flags) noexcept, (flags))
HEDDLE_CALL(int, epoll_ctl, (int fd, int operation, int watched, epoll_event* event) noexcept,
            (fd, operation, watched, event))

HEDDLE_INTERPOSE int pselect(int count, fd_set* __restrict readable, fd_set* __restrict writable,
                             fd_set* __restrict exceptional, const timespec* __restrict timeout,
                             const sigset_t* __restrict mask) {
  if (!controlled()) return HEDDLE_REAL(pselect)(count, readable, writable, exceptional, timeout, mask);
  const struct {
    const sigset_t* mask;
    size_t size;
  } mask_and_size{mask, 8};
  return static_cast<int>(
      perform_cancellable<SYS_pselect6>(count, readable, writable, exceptional, timeout, &mask_and_size));
}

// Queues.
HEDDLE_INTERPOSED(int, mq_send, (mqd_t queue, const char* message, size_t size, unsigned priority),
                  (queue, message, size, priority),
                  perform_cancellable<SYS_mq_timedsend>(queue, message, size, priority, nullptr))
HEDDLE_INTERPOSED(ssize_t, mq_receive, (mqd_t queue, char* message, size_t size, unsigned* priority),
                  (queue, message, size, priority),
                  perform_cancellable<SYS_mq_timedreceive>(queue, message, size, priority, nullptr))
HEDDLE_CANCELLATION_POINT(int, mq_timedsend,
                          (mqd_t queue, const char* message, size_t size, unsigned priority, const timespec* when),
                          (queue, message, size, priority, when))
HEDDLE_CANCELLATION_POINT(ssize_t, mq_timedreceive,
                          (mqd_t queue, char* __restrict message, size_t size, unsigned* __restrict priority,
                           const timespec* __restrict when),
                          (queue, message, size, priority, when))
HEDDLE_INTERPOSED(int, mq_close, (mqd_t queue) noexcept, (queue), perform<SYS_close>(queue))

// Descriptors.
HEDDLE_INTERPOSED(int, pipe, (int* ends) noexcept, (ends), perform<SYS_pipe2>(ends, 0))
HEDDLE_CALL(int, pipe2, (int* ends, int flags) noexcept, (ends, flags))
HEDDLE_CALL(int, socket, (int domain, int type, int protocol) noexcept, (domain, type, protocol))
HEDDLE_CALL(int, socketpair, (int domain, int type, int protocol, int* ends) noexcept, (domain, type, protocol, ends))
HEDDLE_INTERPOSED(int, eventfd, (unsigned value, int flags) noexcept, (value, flags),
                  perform<SYS_eventfd2>(value, flags))
HEDDLE_INTERPOSED(int, eventfd_read, (int fd, eventfd_t* value), (fd, value),
                  read(fd, value, sizeof *value) == sizeof *value ? 0 : -1)
HEDDLE_INTERPOSED(int, eventfd_write, (int fd, eventfd_t value), (fd, value),
                  write(fd, &value, sizeof value) == sizeof value ? 0 : -1)
HEDDLE_CALL(int, dup, (int fd) noexcept, (fd))
HEDDLE_CALL(int, dup2, (int fd, int wanted) noexcept, (fd, wanted))
HEDDLE_CALL(int, dup3, (int fd, int wanted, int flags) noexcept, (fd, wanted, flags))
HEDDLE_CANCELLATION_POINT(int, close, (int fd), (fd))
HEDDLE_CALL(int, close_range, (unsigned first, unsigned last, int flags) noexcept, (first, last, flags))
HEDDLE_CALL(int, flock, (int fd, int operation) noexcept, (fd, operation))

// libc implements F_GETOWN with another command.
#define HEDDLE_FCNTL(name)                                                                     \
  HEDDLE_INTERPOSE int name(int fd, int command, ...) {                                        \
    va_list rest;                                                                              \
    va_start(rest, command);                                                                   \
    void* argument = va_arg(rest, void*);                                                      \
    va_end(rest);                                                                              \
    if (!controlled() || command == F_GETOWN) return HEDDLE_REAL(name)(fd, command, argument); \
    return static_cast<int>(perform_cancellable<SYS_fcntl>(fd, command, argument));            \
  }
HEDDLE_FCNTL(fcntl)
HEDDLE_FCNTL(fcntl64)

// The _FORTIFY_SOURCE twins. libc's version terminates the program when the buffer is too small.
extern "C" {
ssize_t __read_chk(int, void*, size_t, size_t);
ssize_t __recv_chk(int, void*, size_t, size_t, int);
ssize_t __recvfrom_chk(int, void*, size_t, size_t, int, sockaddr*, socklen_t*);
int __poll_chk(pollfd*, nfds_t, int, size_t);
int __ppoll_chk(pollfd*, nfds_t, const timespec*, const sigset_t*, size_t);
}

#define HEDDLE_CHECKED(result, name, plain, parameters, extra, too_small, ...) \
  HEDDLE_INTERPOSE result name parameters { return too_small ? HEDDLE_REAL(name) extra : plain(__VA_ARGS__); }
HEDDLE_CHECKED(ssize_t, __read_chk, read, (int fd, void* buffer, size_t size, size_t room), (fd, buffer, size, room),
               size > room, fd, buffer, size)
HEDDLE_CHECKED(ssize_t, __recv_chk, recv, (int fd, void* buffer, size_t size, size_t room, int flags),
               (fd, buffer, size, room, flags), size > room, fd, buffer, size, flags)
HEDDLE_CHECKED(ssize_t, __recvfrom_chk, recvfrom,
               (int fd, void* buffer, size_t size, size_t room, int flags, sockaddr* address, socklen_t* address_size),
               (fd, buffer, size, room, flags, address, address_size), size > room, fd, buffer, size, flags, address,
               address_size)
HEDDLE_CHECKED(int, __poll_chk, poll, (pollfd * descriptors, nfds_t count, int timeout, size_t room),
               (descriptors, count, timeout, room), room / sizeof(pollfd) < count, descriptors, count, timeout)
HEDDLE_CHECKED(int, __ppoll_chk, ppoll,
               (pollfd * descriptors, nfds_t count, const timespec* timeout, const sigset_t* mask, size_t room),
               (descriptors, count, timeout, mask, room), room / sizeof(pollfd) < count, descriptors, count, timeout,
               mask)
