#include "runtime/io/external.h"

#include <errno.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>

#include "runtime/interpose/threads/cancellation.h"
#include "runtime/io/descriptors/descriptors.h"
#include "runtime/io/processes/processes.h"
#include "runtime/io/waiting.h"
#include "runtime/os/raw_syscall.h"
#include "runtime/record/session.h"
#include "runtime/runtime.h"
#include "runtime/schedule/limits.h"
#include "runtime/schedule/scheduler.h"
#include "runtime/schedule/strategy_setup.h"
#include "runtime/signals/signals.h"

namespace heddle::runtime {
namespace {

struct DescriptorWait {
  pollfd* descriptors;
  nfds_t count;
};

constexpr IoState& io = rt.io;

const DescriptorWait& descriptor_wait(const Thread* thread) {
  return *static_cast<const DescriptorWait*>(thread->external.detail);
}

std::uint64_t monotonic_ns() {
  timespec now{};
  raw_syscall(SYS_clock_gettime, CLOCK_MONOTONIC, &now);
  return to_ns(now);
}

long poll_for(pollfd* descriptors, nfds_t count, std::uint64_t timeout_ns) {
  timespec timeout = to_timespec(timeout_ns);
  return raw_syscall(SYS_ppoll, descriptors, count, &timeout, nullptr, 0);
}

template <typename Predicate>
bool all_descriptors(const Thread* thread, Predicate predicate) {
  const DescriptorWait& wait = descriptor_wait(thread);
  for (nfds_t i = 0; i < wait.count; ++i)
    if (wait.descriptors[i].fd >= 0 && !predicate(wait.descriptors[i].fd)) return false;
  return true;
}

bool waits_for_outside_only(const Thread* thread) {
  if (thread->external.kind == ExternalWait::Kind::Child) return true;
  return thread->external.kind == ExternalWait::Kind::Descriptors &&
         all_descriptors(thread, [](int descriptor) { return reach_of(descriptor) == Reach::Outside; });
}

bool waits_for_inside_only(const Thread* thread) {
  return thread->external.kind == ExternalWait::Kind::Descriptors &&
         all_descriptors(thread, is_reached_from_inside_only);
}

bool condition_holds(Thread* thread) {
  switch (thread->external.kind) {
    case ExternalWait::Kind::Descriptors: {
      const DescriptorWait& wait = descriptor_wait(thread);
      return raw_syscall(SYS_poll, wait.descriptors, wait.count, 0) != 0;
    }
    case ExternalWait::Kind::Child: {
      const auto* wait = static_cast<const ChildWait*>(thread->external.detail);
      siginfo_t info{};
      const long result =
          raw_syscall(SYS_waitid, wait->id_type, wait->id, &info, wait->options | WNOHANG | WNOWAIT, nullptr);
      return result != 0 || info.si_pid != 0;
    }
    case ExternalWait::Kind::Retry: {
      auto* wait = static_cast<RetryWait*>(thread->external.detail);
      return wait->holds(wait);
    }
    case ExternalWait::Kind::None:
      break;
  }
  return false;
}

// Two threads wait for one thing, one has had it: the other is held back before it is offered in vain.
bool no_longer_holds(Thread* thread) {
  return thread != hot.current && thread->state == ThreadState::Runnable && thread->wake_reason == WakeReason::Woken &&
         thread->external.kind == ExternalWait::Kind::Descriptors && !condition_holds(thread);
}

bool look(bool everywhere) {
  bool any = false;
  for (Thread* thread : rt.scheduler.live_threads) {
    if (thread->external.kind == ExternalWait::Kind::None) continue;
    if (thread->state == ThreadState::Blocked) {
      if (!everywhere && waits_for_outside_only(thread)) continue;
      if (!condition_holds(thread)) continue;
      interrupt(thread, WakeReason::Woken);
      any = true;
    } else if (no_longer_holds(thread)) {
      thread->state = ThreadState::Blocked;
    }
  }
  return any;
}

bool a_thread_waits_for_outside() {
  return any_thread(
      [](const Thread* thread) { return thread->state == ThreadState::Blocked && waits_for_outside_only(thread); });
}

// Then who goes on next is known, and the outside is looked at whenever somebody must.
bool replaying() {
  return session()->config.strategy == format::StrategyKind::Replay ||
         session()->config.strategy == format::StrategyKind::ReplayBySite ||
         session()->config.strategy == format::StrategyKind::Turns;
}

// Asking for the pending ones takes in what has arrived.
bool signals_have_come() { return signals_arrived() && (pending_signals() & ~current()->signal_mask) != 0; }

struct Awaited {
  bool outside;   // something can come from another process
  bool loopback;  // something comes through a socket between two threads
  bool by_looking;
};

// Collects what can be waited for in the kernel.
Awaited collect_awaited() {
  Awaited found{};
  io.awaited.clear();
  for (Thread* thread : rt.scheduler.live_threads) {
    if (thread->state != ThreadState::Blocked) continue;
    switch (thread->external.kind) {
      case ExternalWait::Kind::None:
        continue;
      case ExternalWait::Kind::Child:
        found.by_looking |=
            !add_child_descriptors(*static_cast<ChildWait*>(thread->external.detail), io.child_descriptors);
        found.outside = true;
        break;
      case ExternalWait::Kind::Retry:
        found.by_looking = found.outside = true;
        break;
      case ExternalWait::Kind::Descriptors: {
        const DescriptorWait& wait = descriptor_wait(thread);
        for (nfds_t i = 0; i < wait.count; ++i) {
          const pollfd& one = wait.descriptors[i];
          if (one.fd < 0) continue;
          io.awaited.push_back({one.fd, one.events, 0});
          found.outside |= !is_reached_from_inside_only(one.fd);
          const Channel* channel = channel_of(one.fd);
          found.loopback |= channel != nullptr && channel->kind == ChannelKind::Socket && !channel->paired;
        }
        break;
      }
    }
  }
  for (const int descriptor : io.child_descriptors) io.awaited.push_back({descriptor, POLLIN, 0});
  return found;
}

void close_child_descriptors() {
  for (const int descriptor : io.child_descriptors) raw_syscall(SYS_close, descriptor);
  io.child_descriptors.clear();
}

// Until one of those who wait for the outside can go on, or a signal lets anybody else do so.
bool wait_in_kernel(std::uint64_t timeout_ns) {
  const Awaited found = collect_awaited();
  if (!found.outside) {
    if (!found.loopback) return false;
    poll_for(io.awaited.begin(), io.awaited.size(),
             timeout_ns < limits::kLoopbackDelayNs ? timeout_ns : limits::kLoopbackDelayNs);
    return look(true);
  }
  const std::uint64_t slice = found.by_looking ? limits::kLookAgainNs : limits::kKernelWaitNs;
  const std::uint64_t begin = monotonic_ns();
  bool came = false;
  io.in_kernel = true;
  while (!came) {
    const std::uint64_t passed = monotonic_ns() - begin;
    if (timeout_ns != kNoDeadline && passed >= timeout_ns) break;
    const std::uint64_t rest = timeout_ns - passed;
    poll_for(io.awaited.begin(), io.awaited.size(), rest < slice ? rest : slice);
    came = look(true);
    if (!signals_arrived()) continue;
    pending_signals();  // asking for the pending ones takes in what has arrived
    came |= a_thread_can_run();
  }
  io.in_kernel = false;
  close_child_descriptors();
  return came;
}

// A moment of real time, without giving the turn away. Woken: the
// condition holds. TimedOut: the moment has passed.
WakeReason stay_a_moment(Thread* self, bool as_long_as_it_takes) {
  io.awaited.clear();
  bool by_looking = self->external.kind == ExternalWait::Kind::Retry;
  if (self->external.kind == ExternalWait::Kind::Child)
    by_looking = !add_child_descriptors(*static_cast<ChildWait*>(self->external.detail), io.child_descriptors);
  for (const int descriptor : io.child_descriptors) io.awaited.push_back({descriptor, POLLIN, 0});
  if (self->external.kind == ExternalWait::Kind::Descriptors) {
    const DescriptorWait& wait = descriptor_wait(self);
    for (nfds_t i = 0; i < wait.count; ++i)
      io.awaited.push_back({wait.descriptors[i].fd, wait.descriptors[i].events, 0});
  }
  const std::uint64_t slice = by_looking ? limits::kLookAgainNs : limits::kKernelWaitNs;
  const std::uint64_t begin = monotonic_ns();
  WakeReason reason = WakeReason::TimedOut;
  io.in_kernel = true;
  do {
    poll_for(io.awaited.begin(), io.awaited.size(), slice);
    if (condition_holds(self))
      reason = WakeReason::Woken;
    else if (signals_have_come())
      reason = WakeReason::Interrupted;
  } while (reason == WakeReason::TimedOut &&
           (as_long_as_it_takes || monotonic_ns() - begin < limits::kOutsideMomentNs));
  io.in_kernel = false;
  close_child_descriptors();
  if (reason == WakeReason::Interrupted) self->handlers_restart = true;
  return reason;
}

WakeReason park(ExternalWait::Kind kind, void* detail, const void* object, std::uint64_t deadline_ns) {
  Thread* self = current();
  test_cancellation();
  self->external = {kind, detail};
  WakeReason reason = WakeReason::TimedOut;
  const bool alone = live_thread_count() == 1;
  const bool nobody_here_can_help = waits_for_outside_only(self) || (alone && !waits_for_inside_only(self));
  if (const std::optional<bool> blocked = recorded_to_block()) {
    if (!*blocked) reason = stay_a_moment(self, true);
  } else if (const std::optional<bool> waits = planned_to_block()) {
    if (!*waits) reason = stay_a_moment(self, alone);
  } else if (deadline_ns == kNoDeadline && nobody_here_can_help) {
    reason = stay_a_moment(self, alone);
  }
  if (reason == WakeReason::TimedOut) {
    note(EventKind::ExternalWait, object);
    ++io.waiting_threads;
    reason = block({.kind = EventKind::ExternalWait,
                    .key = object,
                    .deadline_ns = deadline_ns,
                    .interruptible = true,
                    .cancellable = true});
    --io.waiting_threads;
  }
  self->external = {};
  return reason;
}

}  // namespace

bool outside_awaited() { return io.waiting_threads != 0; }

bool waiting_in_kernel() { return io.in_kernel; }

bool outside_may_have_changed() {
  if (io.waiting_threads == 0) return false;
  ++io.choices_since_moment;
  return io.changed || replaying() || io.choices_since_moment >= io.choices_between_moments;
}

bool look_outside() {
  io.changed = false;
  if (replaying()) return look(true);
  if (io.choices_since_moment < io.choices_between_moments) return look(false);
  io.choices_since_moment = 0;
  const bool came = look(true) || (a_thread_waits_for_outside() && wait_in_kernel(limits::kOutsideMomentNs));
  io.choices_between_moments = came ? limits::kChoicesBetweenMoments : 2 * io.choices_between_moments;
  return came;
}

bool wait_for_outside(std::uint64_t timeout_ns) {
  io.choices_since_moment = 0;
  return look(true) || wait_in_kernel(timeout_ns);
}

void outside_changed() { io.changed = true; }

WakeReason wait_for_descriptors(pollfd* descriptors, nfds_t count, std::uint64_t deadline_ns) {
  DescriptorWait wait{descriptors, count};
  const Channel* channel = count == 1 ? channel_of(descriptors[0].fd) : nullptr;
  return park(ExternalWait::Kind::Descriptors, &wait, channel, deadline_ns);
}

WakeReason wait_for_retry(RetryWait* wait, std::uint64_t deadline_ns) {
  return park(ExternalWait::Kind::Retry, wait, nullptr, deadline_ns);
}

WakeReason wait_for_child(ChildWait* wait) { return park(ExternalWait::Kind::Child, wait, nullptr, kNoDeadline); }

long after_wait(WakeReason reason, long result_when_timed_out, bool restartable) {
  switch (reason) {
    case WakeReason::Woken:
      return 0;
    case WakeReason::TimedOut:
      return result_when_timed_out;
    case WakeReason::Cancelled:
      test_cancellation();
      return -EINTR;
    case WakeReason::Interrupted:
      break;
  }
  deliver_pending_signals();
  return restartable && restart_after_signal() ? 0 : -EINTR;
}

}  // namespace heddle::runtime
