#pragma once
// Messages and connections. All return -errno or the result of the system call.
#include <sys/socket.h>
#include <time.h>

#include "runtime/io/system_call.h"

namespace heddle::runtime {

long controlled_receive(int descriptor, msghdr* message, int flags);
long controlled_send(int descriptor, const msghdr* message, int flags);
long controlled_receive_many(int descriptor, mmsghdr* messages, unsigned count, int flags, timespec* timeout);
long controlled_send_many(int descriptor, mmsghdr* messages, unsigned count, int flags);
long controlled_accept(int descriptor, sockaddr* address, socklen_t* size, int flags);
long controlled_connect(const SystemCall& call);

// Sends the whole message on a blocking socket, in several parts if necessary.
long send_completely(int descriptor, const msghdr* message, int flags);

// A message without address and control data.
inline msghdr message_of(iovec* pieces, std::size_t count) {
  msghdr message{};
  message.msg_iov = pieces;
  message.msg_iovlen = count;
  return message;
}

}  // namespace heddle::runtime
