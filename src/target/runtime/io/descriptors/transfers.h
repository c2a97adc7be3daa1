#pragma once
// Reading and writing: pipes, sockets, terminals, counters, message queues. Regular files never wait. All return
// -errno, or what the system call returns.
#include <sys/uio.h>

#include <cstdint>
#include <span>

#include "runtime/io/system_call.h"

namespace heddle::runtime {

// read, readv, mq_timedreceive: performed when the descriptor, their first argument, is ready.
long controlled_read(const SystemCall& call, std::uint64_t deadline_ns = ~std::uint64_t{0});
// write and writev. `pieces` is what `call` writes.
long controlled_write(const SystemCall& call, const iovec* pieces, int count);
// splice, tee and sendfile.
long controlled_splice(const SystemCall& call, int from, int to);

// A scheduling point if the program made this descriptor: what happens to it happens between its threads.
void announce_transfer(int descriptor);
// Parks until one of `events` may hold. 0: try again.
long wait_until_ready(int descriptor, short events, std::uint64_t deadline_ns, long result_when_timed_out);
// The same for a call that waits by itself: 0 at once if it need not, or must not because the descriptor is
// non-blocking.
long wait_if_blocking(int descriptor, short events, std::uint64_t deadline_ns, long result_when_timed_out);
// Parks until something has happened that may let a refused call succeed, where poll cannot tell. 0: try again.
long wait_for_any_change(std::uint64_t deadline_ns, long result_when_timed_out);

// The time-out that a socket was given, SO_RCVTIMEO or SO_SNDTIMEO, counted from the first time it is asked for.
class SocketDeadline {
 public:
  SocketDeadline(int descriptor, int option) : descriptor_(descriptor), option_(option) {}
  std::uint64_t get();

 private:
  int descriptor_;
  int option_;
  bool asked_ = false;
  std::uint64_t deadline_ns_ = 0;
};

// While one lives, calls on this descriptor do not wait in the kernel. No other thread runs meanwhile.
class WithoutWaiting {
 public:
  explicit WithoutWaiting(int descriptor);
  ~WithoutWaiting();
  WithoutWaiting(const WithoutWaiting&) = delete;
  WithoutWaiting& operator=(const WithoutWaiting&) = delete;

 private:
  int descriptor_;
  long flags_;
};

std::uint64_t total_size(const iovec* pieces, std::uint64_t count);
// What is left of the first piece that is not done when `done` bytes are. REQUIRES: done < total_size().
iovec first_rest(const iovec* pieces, std::uint64_t done);
// The first `size` bytes of the pieces; the array is overwritten by the next call.
std::span<iovec> first_pieces(const iovec* pieces, std::uint64_t count, std::uint64_t size);

}  // namespace heddle::runtime
