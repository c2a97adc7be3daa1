#include "runtime/io/descriptors/polling.h"

#include <errno.h>
#include <sys/syscall.h>

#include "runtime/interpose/threads/cancellation.h"
#include "runtime/io/descriptors/descriptors.h"
#include "runtime/io/descriptors/readiness.h"
#include "runtime/io/descriptors/transfers.h"
#include "runtime/io/waiting.h"
#include "runtime/memory/arena.h"
#include "runtime/os/raw_syscall.h"
#include "runtime/schedule/clock.h"
#include "runtime/schedule/scheduler.h"
#include "runtime/schedule/strategy_setup.h"
#include "runtime/signals/signals.h"

namespace heddle::runtime {
namespace {

// One scheduling point, on the first descriptor that the program created under control.
void announce_first(const pollfd* descriptors, nfds_t count) {
  for (nfds_t i = 0; i < count; ++i) {
    if (channel_of(descriptors[i].fd) == nullptr) continue;
    announce_transfer(descriptors[i].fd);
    return;
  }
}

// Without descriptors, poll and select only sleep.
long sleep_until(std::uint64_t deadline_ns) {
  const WakeReason reason = block_cancellable(EventKind::Sleep, nullptr, deadline_ns);
  return after_wait(reason, 0, false);
}

// Calls `poll` and waits in turn, until `poll` finds a descriptor ready or the deadline passes.
template <typename Poll>
long until_ready(pollfd* waited, nfds_t count, std::uint64_t deadline_ns, Poll poll) {
  for (;;) {
    // A replay blocks where the recorded run did, even if a descriptor is ready now.
    if (!recorded_to_block().value_or(false)) {
      const Readiness found = poll(clock_now() >= deadline_ns);
      if (found.timed_out) advance_clock_to(deadline_ns);
      if (found.result != 0 || found.timed_out) return found.result;
    }
    const WakeReason reason = wait_for_descriptors(waited, count, deadline_ns);
    if (reason == WakeReason::TimedOut) return poll(true).result;
    if (const long ended = after_wait(reason, 0, false); ended != 0) return ended;
  }
}

constexpr std::size_t kWordBits = 8 * sizeof(unsigned long);

// The arguments of select, saved because each poll overwrites the sets, and the same request in the form of poll.
struct SelectRequest {
  int count;
  fd_set* sets[3];
  unsigned long* saved;  // the three sets, contiguous
  pollfd* polled;
  nfds_t polled_count;

  std::size_t words() const { return (static_cast<std::size_t>(count) + kWordBits - 1) / kWordBits; }
  std::size_t saved_bytes() const { return 3 * words() * sizeof(unsigned long); }
  std::size_t bytes() const { return saved_bytes() + static_cast<std::size_t>(count) * sizeof(pollfd); }

  bool requested(int set, int descriptor) const {
    const auto bit = static_cast<std::size_t>(descriptor);
    return sets[set] != nullptr &&
           (saved[static_cast<std::size_t>(set) * words() + bit / kWordBits] >> bit % kWordBits & 1) != 0;
  }

  void save() {
    for (std::size_t i = 0; i < 3; ++i)
      if (sets[i] != nullptr) __builtin_memcpy(saved + i * words(), sets[i], words() * sizeof(unsigned long));
    for (int descriptor = 0; descriptor < count; ++descriptor) {
      const int events = (requested(0, descriptor) ? POLLIN : 0) | (requested(1, descriptor) ? POLLOUT : 0) |
                         (requested(2, descriptor) ? POLLPRI : 0);
      if (events != 0) polled[polled_count++] = {descriptor, static_cast<short>(events), 0};
    }
  }

  // Adds `descriptor` to a result set if `holds`. Returns the number of added bits.
  long report(int set, int descriptor, bool holds) {
    if (!holds || !requested(set, descriptor)) return 0;
    FD_SET(descriptor, sets[set]);
    return 1;
  }

  // Translates the result of poll to sets in the same way as the kernel.
  Readiness poll(bool timed_out) {
    Readiness found = poll_descriptors(polled, polled_count, timed_out);
    for (fd_set* set : sets)
      if (set != nullptr) __builtin_memset(set, 0, words() * sizeof(unsigned long));
    if (found.result <= 0) return found;
    found.result = 0;
    for (nfds_t i = 0; i < polled_count; ++i) {
      const int ready = polled[i].revents;
      if ((ready & POLLNVAL) != 0) return {-EBADF, found.timed_out};
      found.result += report(0, polled[i].fd, (ready & (POLLIN | POLLHUP | POLLERR)) != 0) +
                      report(1, polled[i].fd, (ready & (POLLOUT | POLLERR)) != 0) +
                      report(2, polled[i].fd, (ready & POLLPRI) != 0);
    }
    return found;
  }
};

}  // namespace

std::uint64_t deadline_in_ms(int timeout_ms) {
  return timeout_ms < 0 ? kNoDeadline : clock_now() + static_cast<std::uint64_t>(timeout_ms) * 1'000'000;
}

long controlled_poll(pollfd* descriptors, nfds_t count, std::uint64_t deadline_ns, const sigset_t* mask) {
  if (deadline_ns == kInvalidDeadline) return -EINVAL;
  TemporarySignalMask temporary(mask);
  if (temporary.interrupted()) return -EINTR;
  if (count == 0) return sleep_until(deadline_ns);
  announce_first(descriptors, count);
  return until_ready(descriptors, count, deadline_ns,
                     [&](bool timed_out) { return poll_descriptors(descriptors, count, timed_out); });
}

long controlled_select(int count, fd_set* read, fd_set* write, fd_set* error, std::uint64_t deadline_ns,
                       const sigset_t* mask) {
  if (count < 0 || deadline_ns == kInvalidDeadline) return -EINVAL;
  TemporarySignalMask temporary(mask);
  if (temporary.interrupted()) return -EINTR;
  if (count == 0 || (read == nullptr && write == nullptr && error == nullptr)) return sleep_until(deadline_ns);
  SelectRequest request{count, {read, write, error}, nullptr, nullptr, 0};
  // Usual requests have few descriptors and fit on the stack.
  alignas(16) char few[640];
  const std::size_t bytes = request.bytes();
  char* memory = bytes <= sizeof few ? few : static_cast<char*>(arena_map(bytes));
  request.saved = reinterpret_cast<unsigned long*>(memory);
  request.polled = reinterpret_cast<pollfd*>(memory + request.saved_bytes());
  request.save();
  announce_first(request.polled, request.polled_count);
  const long result = until_ready(request.polled, request.polled_count, deadline_ns,
                                  [&](bool timed_out) { return request.poll(timed_out); });
  if (memory != few) arena_unmap(memory, bytes);
  return result;
}

long controlled_epoll_wait(int poller, epoll_event* events, int count, std::uint64_t deadline_ns,
                           const sigset_t* mask) {
  if (deadline_ns == kInvalidDeadline) return -EINVAL;
  TemporarySignalMask temporary(mask);
  if (temporary.interrupted()) return -EINTR;
  announce_transfer(poller);
  pollfd waited{poller, POLLIN, 0};
  return until_ready(&waited, 1, deadline_ns,
                     [&](bool timed_out) { return poll_poller(poller, events, count, timed_out); });
}

}  // namespace heddle::runtime
