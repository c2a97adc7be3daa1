#pragma once
// Messages and connections. All return -errno, or what the system call returns.
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

// Sends all of it on a blocking socket, in pieces if need be.
long send_completely(int descriptor, const msghdr* message, int flags);

}  // namespace heddle::runtime
