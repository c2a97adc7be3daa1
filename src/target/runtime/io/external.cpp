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

// True if the condition for which a thread was made runnable has passed again, because another thread consumed the
// data. Such a thread blocks again before the strategy may choose it.
bool no_longer_holds(Thread* thread) {
  return thread != hot.current && thread->state == ThreadState::Runnable && thread->wake_reason == WakeReason::Woken &&
         thread->external.kind == ExternalWait::Kind::Descriptors && !condition_holds(thread);
}

// Wakes the threads whose conditions hold. Without `everywhere` it skips threads that only other processes can wake.
bool wake_ready_threads(bool everywhere) {
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

// In a replay the next thread is known, and its condition is polled at every choice.
bool replaying() {
  const format::StrategyKind strategy = session()->config.strategy;
  return strategy == format::StrategyKind::Replay || strategy == format::StrategyKind::ReplayBySite ||
         strategy == format::StrategyKind::Turns;
}

// True if an unblocked signal has arrived; pending_signals() accepts the arrived signals.
bool unblocked_signal_arrived() { return signals_arrived() && (pending_signals() & ~current()->signal_mask) != 0; }

struct Awaited {
  bool outside;      // another process can end a wait
  bool loopback;     // data may arrive through a socket between two threads
  bool needs_retry;  // poll does not report every condition
};

// Adds the descriptors of `thread`'s wait to the awaited ones. Returns false if poll does not report the whole
// condition, so that the caller must check it repeatedly.
bool add_awaited(const Thread* thread) {
  if (thread->external.kind == ExternalWait::Kind::Child)
    return add_child_descriptors(*static_cast<const ChildWait*>(thread->external.detail), io.child_descriptors);
  if (thread->external.kind != ExternalWait::Kind::Descriptors) return false;
  const DescriptorWait& wait = descriptor_wait(thread);
  for (nfds_t i = 0; i < wait.count; ++i) io.awaited.push_back({wait.descriptors[i].fd, wait.descriptors[i].events, 0});
  return true;
}

void await_child_descriptors() {
  for (const int descriptor : io.child_descriptors) io.awaited.push_back({descriptor, POLLIN, 0});
}

// Collects the waits of all blocked threads.
Awaited collect_awaited() {
  Awaited found{};
  io.awaited.clear();
  for (Thread* thread : rt.scheduler.live_threads) {
    if (thread->state != ThreadState::Blocked || thread->external.kind == ExternalWait::Kind::None) continue;
    found.needs_retry |= !add_awaited(thread);
    found.outside |= !waits_for_inside_only(thread);
    found.loopback |=
        thread->external.kind == ExternalWait::Kind::Descriptors && !all_descriptors(thread, [](int descriptor) {
          const Channel* channel = channel_of(descriptor);
          return channel == nullptr || channel->kind != ChannelKind::Socket || channel->paired;
        });
  }
  await_child_descriptors();
  return found;
}

void close_child_descriptors() {
  for (const int descriptor : io.child_descriptors) raw_syscall(SYS_close, descriptor);
  io.child_descriptors.clear();
}

// Waits in the kernel until a thread that waits for the outside can continue, a signal makes a thread runnable, or the
// time-out passes.
bool wait_in_kernel(std::uint64_t timeout_ns) {
  const Awaited found = collect_awaited();
  if (!found.outside) {
    if (!found.loopback) return false;
    poll_for(io.awaited.begin(), io.awaited.size(),
             timeout_ns < limits::kLoopbackDelayNs ? timeout_ns : limits::kLoopbackDelayNs);
    return wake_ready_threads(true);
  }
  const std::uint64_t slice = found.needs_retry ? limits::kLookAgainNs : limits::kKernelWaitNs;
  const std::uint64_t begin = monotonic_ns();
  bool woken = false;
  io.in_kernel = true;
  while (!woken) {
    const std::uint64_t passed = monotonic_ns() - begin;
    if (timeout_ns != kNoDeadline && passed >= timeout_ns) break;
    const std::uint64_t rest = timeout_ns - passed;
    poll_for(io.awaited.begin(), io.awaited.size(), rest < slice ? rest : slice);
    woken = wake_ready_threads(true);
    if (!signals_arrived()) continue;
    accept_outside_signals();
    woken |= a_thread_can_run();
  }
  io.in_kernel = false;
  close_child_descriptors();
  return woken;
}

// Waits in the kernel while the thread keeps the turn: kOutsideMomentNs, or without limit if `unlimited`. Returns Woken
// if the condition holds and TimedOut if the time has passed.
WakeReason wait_with_turn(Thread* self, bool unlimited) {
  io.awaited.clear();
  const std::uint64_t slice = add_awaited(self) ? limits::kKernelWaitNs : limits::kLookAgainNs;
  await_child_descriptors();
  const std::uint64_t begin = monotonic_ns();
  WakeReason reason = WakeReason::TimedOut;
  io.in_kernel = true;
  do {
    poll_for(io.awaited.begin(), io.awaited.size(), slice);
    if (condition_holds(self))
      reason = WakeReason::Woken;
    else if (unblocked_signal_arrived())
      reason = WakeReason::Interrupted;
  } while (reason == WakeReason::TimedOut && (unlimited || monotonic_ns() - begin < limits::kOutsideMomentNs));
  io.in_kernel = false;
  close_child_descriptors();
  if (reason == WakeReason::Interrupted) self->handlers_restart = true;
  return reason;
}

// Parks the current thread until its condition holds. A thread that only other processes can wake keeps the turn for a
// moment first, so that their speed does not influence the schedule; a replay or a planned schedule decides for every
// wait whether the thread keeps the turn or blocks.
WakeReason park(ExternalWait::Kind kind, void* detail, const void* object, std::uint64_t deadline_ns) {
  Thread* self = current();
  test_cancellation();
  self->external = {kind, detail};
  WakeReason reason = WakeReason::TimedOut;
  const bool alone = live_thread_count() == 1;
  const bool only_outside_can_wake = waits_for_outside_only(self) || (alone && !waits_for_inside_only(self));
  if (const std::optional<bool> blocked = recorded_to_block()) {
    if (!*blocked) reason = wait_with_turn(self, true);
  } else if (const std::optional<bool> waits = planned_to_block()) {
    if (!*waits) reason = wait_with_turn(self, alone);
  } else if (deadline_ns == kNoDeadline && only_outside_can_wake) {
    reason = wait_with_turn(self, alone);
  }
  if (reason == WakeReason::TimedOut) {
    note(EventKind::ExternalWait, object);
    ++io.waiting_threads;
    reason = block_cancellable(EventKind::ExternalWait, object, deadline_ns);
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
  if (replaying()) return wake_ready_threads(true);
  if (io.choices_since_moment < io.choices_between_moments) return wake_ready_threads(false);
  io.choices_since_moment = 0;
  const bool woken =
      wake_ready_threads(true) || (a_thread_waits_for_outside() && wait_in_kernel(limits::kOutsideMomentNs));
  io.choices_between_moments = woken ? limits::kChoicesBetweenMoments : 2 * io.choices_between_moments;
  return woken;
}

bool wait_for_outside(std::uint64_t timeout_ns) {
  io.choices_since_moment = 0;
  return wake_ready_threads(true) || wait_in_kernel(timeout_ns);
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
