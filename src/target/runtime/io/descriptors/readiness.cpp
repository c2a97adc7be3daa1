#include "runtime/io/descriptors/readiness.h"

#include <errno.h>
#include <sys/syscall.h>

#include "runtime/io/descriptors/arrivals.h"
#include "runtime/io/descriptors/descriptors.h"
#include "runtime/memory/arena.h"
#include "runtime/os/raw_syscall.h"
#include "runtime/runtime.h"
#include "runtime/schedule/strategy_setup.h"

namespace heddle::runtime {
namespace {

constexpr long kTimedOut = -ETIME;  // recorded in place of 0; these calls never return this error

constexpr GrowingArray<WatchedDescriptor>& watched = rt.io.watched;

bool is_ready_for(const pollfd& recorded) {
  pollfd query{recorded.fd, recorded.events, 0};
  raw_syscall(SYS_poll, &query, 1, 0);
  return (query.revents & recorded.revents) == recorded.revents;
}

// Ignores closed descriptors, because their numbers may have been reused.
bool source_is_ready(int poller, const epoll_event& recorded) {
  bool unready = false;
  for (const WatchedDescriptor& watch : watched) {
    if (watch.poller != poller || watch.data != recorded.data.u64) continue;
    const auto events = static_cast<short>(recorded.events & 0xffff);
    pollfd query{watch.descriptor, events, 0};
    raw_syscall(SYS_poll, &query, 1, 0);
    if ((query.revents & events) == events) return true;
    unready |= (query.revents & POLLNVAL) == 0;
  }
  return !unready;
}

bool can_be_reached_from_outside(const pollfd* descriptors, nfds_t count) {
  for (nfds_t i = 0; i < count; ++i)
    if (descriptors[i].fd >= 0 && reach_of(descriptors[i].fd) != Reach::Inside) return true;
  return false;
}

std::int64_t packed(nfds_t index, short events) {
  return static_cast<std::int64_t>(index << 16 | static_cast<unsigned short>(events));
}

// Reads the next value of the clip and copies it to the clip of this run.
std::int64_t repeat_value() {
  const std::int64_t value = recorded_arrival().value_or(0);
  note_arrival(value);
  return value;
}

long repeat_poll(pollfd* descriptors, nfds_t count, long ready) {
  for (nfds_t i = 0; i < count; ++i) descriptors[i].revents = 0;
  for (long i = 0; i < ready; ++i) {
    const std::int64_t value = repeat_value();
    const auto index = static_cast<nfds_t>(value >> 16);
    if (index < count) descriptors[index].revents = static_cast<short>(value & 0xffff);
  }
  await_outside([&] {
    for (nfds_t i = 0; i < count; ++i)
      if (descriptors[i].revents != 0 && !is_ready_for(descriptors[i])) return false;
    return true;
  });
  return ready;
}

long repeat_epoll(int poller, epoll_event* events, int count, long ready) {
  if (ready > count) return -EINVAL;  // the clip belongs to another program
  for (long i = 0; i < ready; ++i) {
    events[i].events = static_cast<std::uint32_t>(repeat_value());
    events[i].data.u64 = static_cast<std::uint64_t>(repeat_value());
  }
  // Several edges of the recorded run may be one edge now, so this waits for the sources to be ready, not for epoll to
  // report them again. The clip also records the amount of data that the reads then return.
  await_outside([&] {
    for (long i = 0; i < ready; ++i)
      if (!source_is_ready(poller, events[i])) return false;
    return true;
  });
  return ready;
}

void note_result(long result, bool timed_out) { note_arrival(result == 0 && timed_out ? kTimedOut : result); }

}  // namespace

Readiness poll_descriptors(pollfd* descriptors, nfds_t count, bool timed_out) {
  if (!can_be_reached_from_outside(descriptors, count))
    return {raw_syscall(SYS_poll, descriptors, count, 0), timed_out};
  if (recorded_arrival()) {
    const long result = repeat_value();
    if (result == kTimedOut) return {repeat_poll(descriptors, count, 0), true};
    return {result < 0 ? result : repeat_poll(descriptors, count, result), timed_out};
  }
  const long result = raw_syscall(SYS_poll, descriptors, count, 0);
  note_result(result, timed_out);
  if (result > 0)
    for (nfds_t i = 0; i < count; ++i)
      if (descriptors[i].revents != 0) note_arrival(packed(i, descriptors[i].revents));
  return {result, timed_out};
}

void note_watched(int poller, int operation, int descriptor, const epoll_event* event) {
  watched.erase_first(
      [&](const WatchedDescriptor& one) { return one.poller == poller && one.descriptor == descriptor; });
  if (operation != EPOLL_CTL_DEL) watched.push_back({poller, descriptor, event->data.u64});
}

Readiness poll_poller(int poller, epoll_event* events, int count, bool timed_out) {
  const auto poll = [&] { return raw_syscall(SYS_epoll_pwait, poller, events, count, 0, nullptr, 0); };
  if (reach_of(poller) == Reach::Inside) return {poll(), timed_out};
  if (recorded_arrival()) {
    const long result = repeat_value();
    if (result == kTimedOut) return {0, true};
    return {result <= 0 ? result : repeat_epoll(poller, events, count, result), timed_out};
  }
  const long result = poll();
  note_result(result, timed_out);
  for (long i = 0; i < result; ++i) {
    note_arrival(events[i].events);
    note_arrival(static_cast<std::int64_t>(events[i].data.u64));
  }
  return {result, timed_out};
}

}  // namespace heddle::runtime
