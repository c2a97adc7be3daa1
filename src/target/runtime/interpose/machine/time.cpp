// Clocks and sleeps on virtual time. A sleep takes no real time: its thread waits for the virtual clock, which jumps
// to the next deadline when all threads are blocked.
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <sys/resource.h>
#include <sys/time.h>
#include <sys/times.h>
#include <threads.h>
#include <time.h>
#include <unistd.h>

#include "runtime/interpose/threads/cancellation.h"
#include "runtime/io/processes/processes.h"
#include "runtime/os/libc_result.h"
#include "runtime/os/real.h"
#include "runtime/schedule/clock.h"
#include "runtime/schedule/scheduler.h"
#include "runtime/signals/signal_timers.h"
#include "runtime/signals/signals.h"

namespace heddle::runtime {
namespace {

constexpr std::uint64_t kTickNs = kSecondNs / 100;  // sysconf(_SC_CLK_TCK)

std::uint64_t read_virtual(clockid_t clock) {
  const std::uint64_t reading = clock_reading(clock, read_clock());
  signal_timers_after_reading();
  return reading;
}

bool is_cpu_clock(clockid_t clock) {
  // Negative numbers are the CPU clocks of single threads and processes.
  return clock == CLOCK_PROCESS_CPUTIME_ID || clock == CLOCK_THREAD_CPUTIME_ID || clock < 0;
}

// Returns 0, EINTR or EINVAL. `left_ns`: the time left when a handler ended the sleep.
int sleep_until(std::uint64_t deadline_ns, std::uint64_t* left_ns) {
  *left_ns = 0;
  if (deadline_ns == kInvalidDeadline) return EINVAL;
  // A sleep of no length is a yield.
  if (deadline_ns <= clock_now())
    announce_yield(EventKind::Sleep);
  else
    announce(EventKind::Sleep, nullptr);
  test_cancellation();
  const std::uint64_t began = clock_now();
  note(EventKind::Sleep, nullptr, deadline_ns > began ? deadline_ns - began : 0);
  if (deadline_ns <= began) return 0;
  const WakeReason reason = block_cancellable(EventKind::Sleep, nullptr, deadline_ns);
  if (reason == WakeReason::Cancelled) test_cancellation();
  if (reason != WakeReason::Interrupted) return 0;
  deliver_pending_signals();
  const std::uint64_t now = clock_now();
  if (now >= deadline_ns) return 0;
  *left_ns = deadline_ns - now;
  return EINTR;
}

int sleep_for(const timespec* interval, timespec* left) {
  std::uint64_t left_ns = 0;
  const int error = sleep_until(relative_deadline(interval), &left_ns);
  if (error == EINTR && left != nullptr) *left = to_timespec(left_ns);
  return error;
}

// A sleep without control.
template <typename Sleep>
auto sleep_natively(std::uint64_t ns, Sleep sleep) {
  const auto result = sleep();
  if (result == 0) note_sleep_of_child(ns);
  return result;
}
std::uint64_t ns_of(const timespec* interval) { return interval == nullptr ? 0 : to_ns(*interval); }

}  // namespace
}  // namespace heddle::runtime

using namespace heddle::runtime;

HEDDLE_INTERPOSE int clock_gettime(clockid_t clock, timespec* time) noexcept {
  if (!controlled()) return HEDDLE_REAL(clock_gettime)(clock, time);
  if (is_virtual_clock(clock))
    *time = to_timespec(read_virtual(clock));
  else if (is_cpu_clock(clock))
    *time = to_timespec(read_cpu_clock());
  else
    return HEDDLE_REAL(clock_gettime)(clock, time);
  return 0;
}

HEDDLE_INTERPOSE int gettimeofday(timeval* __restrict time, void* __restrict zone) noexcept {
  if (!controlled()) return HEDDLE_REAL(gettimeofday)(time, zone);
  *time = to_timeval(read_virtual(CLOCK_REALTIME));
  if (zone != nullptr) *static_cast<struct timezone*>(zone) = {0, 0};
  return 0;
}

HEDDLE_INTERPOSE time_t time(time_t* seconds) noexcept {
  if (!controlled()) return HEDDLE_REAL(time)(seconds);
  const auto now = static_cast<time_t>(read_virtual(CLOCK_REALTIME) / kSecondNs);
  if (seconds != nullptr) *seconds = now;
  return now;
}

HEDDLE_INTERPOSE int timespec_get(timespec* time, int base) noexcept {
  if (!controlled()) return HEDDLE_REAL(timespec_get)(time, base);
  if (base != TIME_UTC) return 0;
  *time = to_timespec(read_virtual(CLOCK_REALTIME));
  return base;
}

HEDDLE_INTERPOSED(clock_t, clock, () noexcept, (), read_cpu_clock() / (kSecondNs / CLOCKS_PER_SEC))

HEDDLE_INTERPOSE clock_t times(tms* used) noexcept {
  if (!controlled()) return HEDDLE_REAL(times)(used);
  if (used != nullptr) *used = {static_cast<clock_t>(read_cpu_clock() / kTickNs), 0, 0, 0};
  return static_cast<clock_t>(read_virtual(CLOCK_MONOTONIC) / kTickNs);
}

// Reports CPU time only: the kernel's counters (faults, memory, switches) differ between runs.
HEDDLE_INTERPOSE int getrusage(__rusage_who_t target, rusage* usage) noexcept {
  if (!controlled()) return HEDDLE_REAL(getrusage)(target, usage);
  if (target != RUSAGE_SELF && target != RUSAGE_THREAD && target != RUSAGE_CHILDREN)
    return static_cast<int>(libc_result(-EINVAL));
  __builtin_memset(usage, 0, sizeof *usage);
  if (target != RUSAGE_CHILDREN) usage->ru_utime = to_timeval(read_cpu_clock());
  return 0;
}

HEDDLE_INTERPOSE int nanosleep(const timespec* interval, timespec* left) {
  if (!controlled()) return sleep_natively(ns_of(interval), [&] { return HEDDLE_REAL(nanosleep)(interval, left); });
  return static_cast<int>(libc_result(-sleep_for(interval, left)));
}

HEDDLE_INTERPOSE int clock_nanosleep(clockid_t clock, int flags, const timespec* time, timespec* left) {
  if (!controlled())
    return sleep_natively((flags & TIMER_ABSTIME) != 0 ? 0 : ns_of(time),
                          [&] { return HEDDLE_REAL(clock_nanosleep)(clock, flags, time, left); });
  if (!is_virtual_clock(clock)) return clock == CLOCK_THREAD_CPUTIME_ID ? EINVAL : ENOTSUP;
  if ((flags & TIMER_ABSTIME) == 0) return sleep_for(time, left);
  std::uint64_t left_ns = 0;
  return sleep_until(absolute_deadline(clock, time), &left_ns);
}

HEDDLE_INTERPOSE int usleep(useconds_t microseconds) {
  if (!controlled())
    return sleep_natively(std::uint64_t{microseconds} * 1000, [&] { return HEDDLE_REAL(usleep)(microseconds); });
  const timespec interval = to_timespec(std::uint64_t{microseconds} * 1000);
  return static_cast<int>(libc_result(-sleep_for(&interval, nullptr)));
}

HEDDLE_INTERPOSE unsigned sleep(unsigned seconds) {
  if (!controlled()) return sleep_natively(seconds * kSecondNs, [&] { return HEDDLE_REAL(sleep)(seconds); });
  const timespec interval{static_cast<time_t>(seconds), 0};
  timespec left{};
  sleep_for(&interval, &left);
  return static_cast<unsigned>(left.tv_sec + (left.tv_nsec >= 500'000'000 ? 1 : 0));
}

HEDDLE_INTERPOSE int thrd_sleep(const timespec* interval, timespec* left) {
  if (!controlled()) return sleep_natively(ns_of(interval), [&] { return HEDDLE_REAL(thrd_sleep)(interval, left); });
  const int error = sleep_for(interval, left);
  return error == 0 ? 0 : error == EINTR ? -1 : -2;
}

HEDDLE_INTERPOSE int sched_yield() noexcept {
  if (!controlled()) return HEDDLE_REAL(sched_yield)();
  yield();
  return 0;
}
HEDDLE_INTERPOSE void thrd_yield() { sched_yield(); }
