#pragma once
// Reads and writes of pipes, sockets, terminals, counters and message queues. Regular files never block. All functions
// return -errno or the result of the system call.
#include <sys/uio.h>

#include <cstdint>
#include <span>

#include "runtime/io/system_call.h"

namespace heddle::runtime {

// read, readv, mq_timedreceive: waits until the descriptor, the first argument, is ready.
long controlled_read(const SystemCall& call, std::uint64_t deadline_ns = ~std::uint64_t{0});
// write and writev. `pieces` is the data that `call` writes.
long controlled_write(const SystemCall& call, const iovec* pieces, int count);
// splice, tee and sendfile.
long controlled_splice(const SystemCall& call, int from, int to);

// A scheduling point if the program created the descriptor under control.
void announce_transfer(int descriptor);
// Parks the thread until one of `events` may be present. Returns 0 if the caller must retry.
long wait_until_ready(int descriptor, short events, std::uint64_t deadline_ns, long result_when_timed_out);
// The same, repeated until the descriptor is ready. Returns 0 immediately if it is ready or non-blocking.
long wait_if_blocking(int descriptor, short events, std::uint64_t deadline_ns, long result_when_timed_out);
// Parks the thread until any event that may let a refused call succeed, where poll cannot report it. Returns 0 if the
// caller must retry.
long wait_for_any_change(std::uint64_t deadline_ns, long result_when_timed_out);

// The time-out of a socket, SO_RCVTIMEO or SO_SNDTIMEO, which starts at the first call of get().
class SocketDeadline {
 public:
  SocketDeadline(int descriptor, int option) : descriptor_(descriptor), option_(option) {}
  std::uint64_t get();

 private:
  int descriptor_;
  int option_;
  bool known_ = false;
  std::uint64_t deadline_ns_ = 0;
};

// During the lifetime of an object, calls on the descriptor do not block in the kernel. REQUIRES: the thread keeps the
// turn.
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
// The rest of the first incomplete piece after `done` bytes. REQUIRES: done < total_size().
iovec first_rest(const iovec* pieces, std::uint64_t done);
// The first `size` bytes of the pieces. The next call overwrites the array.
std::span<iovec> first_pieces(const iovec* pieces, std::uint64_t count, std::uint64_t size);

}  // namespace heddle::runtime
