#include "runtime/io/descriptors/sockets.h"

#include <errno.h>
#include <poll.h>
#include <sys/stat.h>
#include <sys/syscall.h>

#include "runtime/io/descriptors/arrivals.h"
#include "runtime/io/descriptors/descriptors.h"
#include "runtime/io/descriptors/transfers.h"
#include "runtime/io/waiting.h"
#include "runtime/schedule/clock.h"
#include "runtime/schedule/scheduler.h"
#include "runtime/schedule/strategy_setup.h"

namespace heddle::runtime {
namespace {

bool may_wait(int descriptor, int flags) {
  return (flags & (MSG_DONTWAIT | MSG_ERRQUEUE)) == 0 && !is_nonblocking(descriptor);
}

long receive_now(int descriptor, msghdr* message, int flags, const Arrival& arrival) {
  if (!arrival.is_limited()) return raw_syscall(SYS_recvmsg, descriptor, message, flags | MSG_DONTWAIT);
  iovec* const pieces = message->msg_iov;
  const std::size_t count = message->msg_iovlen;
  const std::span<iovec> fewer = first_pieces(pieces, count, arrival.limit(total_size(pieces, count)));
  message->msg_iov = fewer.data();
  message->msg_iovlen = fewer.size();
  const long result = raw_syscall(SYS_recvmsg, descriptor, message, flags | MSG_DONTWAIT);
  message->msg_iov = pieces;
  message->msg_iovlen = count;
  return result;
}

long receive_once(int descriptor, msghdr* message, int flags, SocketDeadline& timeout) {
  for (;;) {
    // A replay blocks where the recorded run did, even if data is available now.
    if (!recorded_to_block().value_or(false)) {
      const Arrival arrival(descriptor);
      if (const std::optional<long> failure = arrival.recorded_failure()) return *failure;
      const long result = receive_now(descriptor, message, flags, arrival);
      if (result != -EAGAIN || !may_wait(descriptor, flags)) {
        arrival.note(result);
        return result;
      }
    }
    if (const long ended = wait_until_ready(descriptor, POLLIN, timeout.get(), -EAGAIN); ended != 0) return ended;
  }
}

// Registers descriptors received with a message like descriptors that the program creates.
void add_received_descriptors(msghdr* message) {
  for (cmsghdr* header = CMSG_FIRSTHDR(message); header != nullptr; header = CMSG_NXTHDR(message, header)) {
    if (header->cmsg_level != SOL_SOCKET || header->cmsg_type != SCM_RIGHTS) continue;
    const std::size_t count = (header->cmsg_len - CMSG_LEN(0)) / sizeof(int);
    for (std::size_t i = 0; i < count; ++i) {
      int descriptor;
      __builtin_memcpy(&descriptor, CMSG_DATA(header) + i * sizeof(int), sizeof descriptor);
      struct stat status{};
      if (raw_syscall(SYS_fstat, descriptor, &status) != 0) continue;
      if (S_ISFIFO(status.st_mode)) add_channel(ChannelKind::Pipe, Reach::Shared, descriptor);
      if (S_ISSOCK(status.st_mode)) add_channel(ChannelKind::Socket, Reach::Shared, descriptor);
    }
  }
}

// Returns 0 if the caller must retry.
long wait_for_room(int descriptor, SocketDeadline& timeout) {
  // A datagram socket may be writable although the receiver of this message is full.
  if (is_ready(descriptor, POLLOUT)) return wait_for_any_change(timeout.get(), -EAGAIN);
  return wait_until_ready(descriptor, POLLOUT, timeout.get(), -EAGAIN);
}

// The number of pending connections depends on real time. The clip records only that one was accepted, or the error.
long accept_now(int descriptor, sockaddr* address, socklen_t* size, int flags) {
  const std::optional<long> recorded = recorded_arrival();
  if (recorded && *recorded < 0) {
    note_arrival(*recorded);
    return *recorded;
  }
  if (recorded) {
    await_outside([descriptor] {
      pollfd query{descriptor, POLLIN, 0};
      return raw_syscall(SYS_poll, &query, 1, 0) != 0;
    });
  }
  const long result = raw_syscall(SYS_accept4, descriptor, address, size, flags);
  note_arrival(result < 0 ? result : 0);
  return result;
}

}  // namespace

long send_completely(int descriptor, const msghdr* message, int flags) {
  SocketDeadline timeout(descriptor, SO_SNDTIMEO);
  const std::uint64_t size = total_size(message->msg_iov, message->msg_iovlen);
  std::uint64_t done = 0;
  msghdr rest = *message;
  iovec piece;
  for (;;) {
    const long sent = raw_syscall(SYS_sendmsg, descriptor, &rest, flags | MSG_DONTWAIT);
    if (sent == -EAGAIN) {
      if (const long ended = wait_for_room(descriptor, timeout); ended != 0)
        return done != 0 ? static_cast<long>(done) : ended;
      continue;
    }
    if (sent < 0) return done != 0 ? static_cast<long>(done) : sent;
    outside_changed();
    done += static_cast<std::uint64_t>(sent);
    if (done >= size) return static_cast<long>(done);
    // The first part carried the address and the control data.
    piece = first_rest(message->msg_iov, done);
    rest = message_of(&piece, 1);
  }
}

long controlled_send(int descriptor, const msghdr* message, int flags) {
  if (channel_of(descriptor) == nullptr) {
    outside_changed();
    return raw_syscall(SYS_sendmsg, descriptor, message, flags);
  }
  announce_transfer(descriptor);
  if (may_wait(descriptor, flags)) return send_completely(descriptor, message, flags);
  const long result = raw_syscall(SYS_sendmsg, descriptor, message, flags);
  outside_changed();
  return result;
}

long controlled_receive(int descriptor, msghdr* message, int flags) {
  announce_transfer(descriptor);
  SocketDeadline timeout(descriptor, SO_RCVTIMEO);
  long done = receive_once(descriptor, message, flags, timeout);
  if (channel_of(descriptor) != nullptr) outside_changed();
  if (done >= 0) add_received_descriptors(message);
  if ((flags & MSG_WAITALL) == 0 || (flags & MSG_PEEK) != 0 || done <= 0 || !is_stream_socket(descriptor)) return done;
  const std::uint64_t size = total_size(message->msg_iov, message->msg_iovlen);
  while (static_cast<std::uint64_t>(done) < size) {
    iovec piece = first_rest(message->msg_iov, static_cast<std::uint64_t>(done));
    msghdr rest = message_of(&piece, 1);
    const long more = receive_once(descriptor, &rest, flags, timeout);
    if (more <= 0) break;
    outside_changed();
    done += more;
  }
  return done;
}

long controlled_receive_many(int descriptor, mmsghdr* messages, unsigned count, int flags, timespec* timeout) {
  const std::uint64_t deadline_ns = relative_deadline(timeout);
  if (deadline_ns == kInvalidDeadline) return -EINVAL;
  long done = 0;
  while (done < static_cast<long>(count)) {
    // Like the kernel, checks the time-out only between messages.
    if (done != 0 && clock_now() >= deadline_ns) break;
    const int now = done != 0 && (flags & MSG_WAITFORONE) != 0 ? flags | MSG_DONTWAIT : flags;
    const long received = controlled_receive(descriptor, &messages[done].msg_hdr, now & ~MSG_WAITFORONE);
    if (received < 0) return done != 0 ? done : received;
    messages[done++].msg_len = static_cast<unsigned>(received);
  }
  return done;
}

long controlled_send_many(int descriptor, mmsghdr* messages, unsigned count, int flags) {
  long done = 0;
  while (done < static_cast<long>(count)) {
    const long sent = controlled_send(descriptor, &messages[done].msg_hdr, flags);
    if (sent < 0) return done != 0 ? done : sent;
    messages[done++].msg_len = static_cast<unsigned>(sent);
  }
  return done;
}

long controlled_accept(int descriptor, sockaddr* address, socklen_t* size, int flags) {
  announce_transfer(descriptor);
  SocketDeadline timeout(descriptor, SO_RCVTIMEO);
  while (!is_ready(descriptor, POLLIN) && !is_nonblocking(descriptor))
    if (const long ended = wait_until_ready(descriptor, POLLIN, timeout.get(), -EAGAIN); ended != 0) return ended;
  const long result = accept_now(descriptor, address, size, flags);
  if (result >= 0) add_channel(ChannelKind::Socket, Reach::Shared, static_cast<int>(result));
  outside_changed();
  return result;
}

long controlled_connect(const SystemCall& call) {
  const auto descriptor = call.argument<int>(0);
  announce_transfer(descriptor);
  if (is_nonblocking(descriptor)) return perform_changing(call);
  SocketDeadline timeout(descriptor, SO_SNDTIMEO);
  for (;;) {
    long result;
    {
      WithoutWaiting guard(descriptor);
      result = perform(call);
    }
    // A refused call must not report a change: two refused threads would wake each other forever.
    if (result != -EAGAIN) outside_changed();
    if (result == -EINPROGRESS) break;
    if (result != -EAGAIN) return result;
    // The backlog of a local socket is full, and poll does not report when it has room.
    if (const long ended = wait_for_any_change(timeout.get(), -EAGAIN); ended != 0) return ended;
  }
  while (!is_ready(descriptor, POLLOUT))
    if (const long ended = wait_until_ready(descriptor, POLLOUT, timeout.get(), -EINPROGRESS); ended != 0) return ended;
  int error = 0;
  socklen_t size = sizeof error;
  raw_syscall(SYS_getsockopt, descriptor, SOL_SOCKET, SO_ERROR, &error, &size);
  return -error;
}

}  // namespace heddle::runtime
