// Reports to the host that the program listens on a port: the host may then start the client (`--driver`).
#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/syscall.h>

#include "runtime/os/raw_syscall.h"
#include "runtime/os/real.h"
#include "runtime/record/session.h"
#include "runtime/schedule/scheduler.h"

using namespace heddle::runtime;

namespace {

std::uint16_t port_of(int descriptor) {
  sockaddr_storage address{};
  socklen_t size = sizeof address;
  if (raw_syscall(SYS_getsockname, descriptor, &address, &size) != 0) return 0;
  if (address.ss_family == AF_INET) return __builtin_bswap16(reinterpret_cast<const sockaddr_in&>(address).sin_port);
  if (address.ss_family == AF_INET6) return __builtin_bswap16(reinterpret_cast<const sockaddr_in6&>(address).sin6_port);
  return 0;
}

}  // namespace

HEDDLE_INTERPOSE int listen(int descriptor, int backlog) {
  const int result = HEDDLE_REAL(listen)(descriptor, backlog);
  if (result == 0 && controlled()) {
    session()->listening_port = port_of(descriptor);
    session()->listening.store(1, std::memory_order_release);
    ring_notify_host();
  }
  return result;
}
