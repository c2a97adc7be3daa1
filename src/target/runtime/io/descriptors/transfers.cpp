#include "runtime/io/descriptors/transfers.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/time.h>

#include "runtime/io/descriptors/arrivals.h"
#include "runtime/io/descriptors/descriptors.h"
#include "runtime/io/descriptors/sockets.h"
#include "runtime/io/waiting.h"
#include "runtime/memory/arena.h"
#include "runtime/runtime.h"
#include "runtime/schedule/scheduler.h"

namespace heddle::runtime {
namespace {

// A pipe that poll calls writable takes at least this much without waiting.
constexpr std::uint64_t kPipeStep = PIPE_BUF;

// Writes more bytes than a pipe takes in one call, in steps, as the kernel would.
long write_in_steps(int descriptor, const iovec* pieces, std::uint64_t size) {
  std::uint64_t done = 0;
  while (done < size) {
    if (!is_ready(descriptor, POLLOUT)) {
      const long ended = wait_until_ready(descriptor, POLLOUT, kNoDeadline, 0);
      if (ended != 0) return done != 0 ? static_cast<long>(done) : ended;
      continue;
    }
    const iovec rest = first_rest(pieces, done);
    const long written =
        raw_syscall(SYS_write, descriptor, rest.iov_base, rest.iov_len < kPipeStep ? rest.iov_len : kPipeStep);
    if (written < 0) return done != 0 ? static_cast<long>(done) : written;
    done += static_cast<std::uint64_t>(written);
    outside_changed();
  }
  return static_cast<long>(done);
}

// `call` is a read or a readv.
long read_at_most(const SystemCall& call, const Arrival& arrival) {
  SystemCall smaller = call;
  if (call.number == SYS_read) {
    smaller.arguments[2] = static_cast<long>(arrival.limit(static_cast<std::uint64_t>(call.arguments[2])));
    return perform(smaller);
  }
  const auto* pieces = call.argument<const iovec*>(1);
  const auto count = static_cast<std::uint64_t>(call.arguments[2]);
  const std::span<iovec> fewer = first_pieces(pieces, count, arrival.limit(total_size(pieces, count)));
  smaller.arguments[1] = reinterpret_cast<long>(fewer.data());
  smaller.arguments[2] = static_cast<long>(fewer.size());
  return perform(smaller);
}

long splice_now(const SystemCall& call, int to) {
  if (call.number == SYS_sendfile) {
    WithoutWaiting guard(to);
    return perform(call);
  }
  SystemCall nonblocking = call;
  nonblocking.arguments[call.number == SYS_tee ? 3 : 5] |= SPLICE_F_NONBLOCK;
  return perform(nonblocking);
}

}  // namespace

std::uint64_t total_size(const iovec* pieces, std::uint64_t count) {
  std::uint64_t size = 0;
  for (std::uint64_t i = 0; i < count; ++i) size += pieces[i].iov_len;
  return size;
}

iovec first_rest(const iovec* pieces, std::uint64_t done) {
  while (done >= pieces->iov_len) done -= (pieces++)->iov_len;
  return {static_cast<char*>(pieces->iov_base) + done, pieces->iov_len - done};
}

std::span<iovec> first_pieces(const iovec* pieces, std::uint64_t count, std::uint64_t size) {
  GrowingArray<iovec>& fewer = rt.io.fewer_pieces;
  fewer.clear();
  for (std::uint64_t i = 0; i < count && size != 0; ++i) {
    const std::uint64_t taken = pieces[i].iov_len < size ? pieces[i].iov_len : size;
    fewer.push_back({pieces[i].iov_base, taken});
    size -= taken;
  }
  return {fewer.begin(), fewer.size()};
}

std::uint64_t SocketDeadline::get() {
  if (known_) return deadline_ns_;
  known_ = true;
  timeval timeout{};
  socklen_t size = sizeof timeout;
  raw_syscall(SYS_getsockopt, descriptor_, SOL_SOCKET, option_, &timeout, &size);
  const std::uint64_t ns = to_ns(timeout);
  deadline_ns_ = ns == 0 ? kNoDeadline : clock_now() + ns;
  return deadline_ns_;
}

WithoutWaiting::WithoutWaiting(int descriptor)
    : descriptor_(descriptor), flags_(raw_syscall(SYS_fcntl, descriptor, F_GETFL)) {
  if (flags_ >= 0) raw_syscall(SYS_fcntl, descriptor_, F_SETFL, flags_ | O_NONBLOCK);
}

WithoutWaiting::~WithoutWaiting() {
  if (flags_ >= 0) raw_syscall(SYS_fcntl, descriptor_, F_SETFL, flags_);
}

void announce_transfer(int descriptor) {
  if (const Channel* channel = channel_of(descriptor); channel != nullptr) announce(EventKind::ExternalWait, channel);
}

long wait_until_ready(int descriptor, short events, std::uint64_t deadline_ns, long result_when_timed_out) {
  pollfd wait{descriptor, events, 0};
  return after_wait(wait_for_descriptors(&wait, 1, deadline_ns), result_when_timed_out, deadline_ns == kNoDeadline);
}

long wait_if_blocking(int descriptor, short events, std::uint64_t deadline_ns, long result_when_timed_out) {
  while (!is_ready(descriptor, events) && !is_nonblocking(descriptor))
    if (const long ended = wait_until_ready(descriptor, events, deadline_ns, result_when_timed_out); ended != 0)
      return ended;
  return 0;
}

long wait_for_any_change(std::uint64_t deadline_ns, long result_when_timed_out) {
  RetryWait wait{[](RetryWait*) { return true; }};
  return after_wait(wait_for_retry(&wait, deadline_ns), result_when_timed_out, deadline_ns == kNoDeadline);
}

long controlled_read(const SystemCall& call, std::uint64_t deadline_ns) {
  const auto descriptor = call.argument<int>(0);
  if (call.number == SYS_read && call.arguments[2] == 0) return perform(call);
  announce_transfer(descriptor);
  SocketDeadline timeout(descriptor, SO_RCVTIMEO);
  while (!is_ready(descriptor, POLLIN) && !is_nonblocking(descriptor)) {
    const std::uint64_t limit = deadline_ns == kNoDeadline ? timeout.get() : deadline_ns;
    const long timed_out = call.number == SYS_mq_timedreceive ? -ETIMEDOUT : -EAGAIN;
    if (const long ended = wait_until_ready(descriptor, POLLIN, limit, timed_out); ended != 0) return ended;
  }
  const Arrival arrival(descriptor);
  if (const std::optional<long> failure = arrival.recorded_failure()) return *failure;
  const long result = arrival.is_limited() ? read_at_most(call, arrival) : perform(call);
  arrival.note(result);
  if (channel_of(descriptor) != nullptr) outside_changed();
  return result;
}

long controlled_write(const SystemCall& call, const iovec* pieces, int count) {
  const auto descriptor = call.argument<int>(0);
  const Channel* channel = channel_of(descriptor);
  // Output to other processes may block in the kernel: the time at which the reader makes room must not influence the
  // schedule.
  if (channel == nullptr) return perform_changing(call);
  announce_transfer(descriptor);
  const std::uint64_t size = total_size(pieces, static_cast<std::uint64_t>(count));
  if (size == 0) return perform(call);
  if (!is_nonblocking(descriptor)) {
    if (channel->kind == ChannelKind::Socket) {
      const msghdr message = message_of(const_cast<iovec*>(pieces), static_cast<std::size_t>(count));
      return send_completely(descriptor, &message, 0);
    }
    if (channel->kind == ChannelKind::Pipe && size > kPipeStep) return write_in_steps(descriptor, pieces, size);
    while (!is_ready(descriptor, POLLOUT))
      if (const long ended = wait_until_ready(descriptor, POLLOUT, kNoDeadline, 0); ended != 0) return ended;
  }
  return perform_changing(call);
}

long controlled_splice(const SystemCall& call, int from, int to) {
  if (channel_of(from) == nullptr && channel_of(to) == nullptr) return perform(call);
  announce_transfer(channel_of(to) != nullptr ? to : from);
  for (;;) {
    const bool can_give = is_ready(from, POLLIN) || is_nonblocking(from);
    const bool can_take = is_ready(to, POLLOUT) || is_nonblocking(to);
    if (can_give && can_take) {
      const long result = splice_now(call, to);
      outside_changed();
      if (result != -EAGAIN || is_nonblocking(from) || is_nonblocking(to)) return result;
      if (const long ended = wait_for_any_change(kNoDeadline, 0); ended != 0) return ended;
    } else {
      const long ended =
          can_give ? wait_until_ready(to, POLLOUT, kNoDeadline, 0) : wait_until_ready(from, POLLIN, kNoDeadline, 0);
      if (ended != 0) return ended;
    }
  }
}

}  // namespace heddle::runtime
