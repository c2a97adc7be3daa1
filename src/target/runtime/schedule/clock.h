#pragma once
// Virtual time, in nanoseconds since the epoch, and the program's clocks and time-outs on its scale.
//
// The program never reads a real clock, so a replay sees the same times as the recording. Virtual time advances by
// kStepNs at each scheduling point and by what operations take (work.h), readings of clocks among them, so that a loop
// that polls a clock terminates. When every thread waits for time to pass, it jumps to the earliest deadline; a sleep
// takes no real time. A strategy may resume a sleeping thread before its deadline; the clock then jumps to that
// deadline.
#include <sys/time.h>
#include <time.h>

#include <cstdint>

#include "runtime/schedule/thread.h"

namespace heddle::runtime {

// A reading by the program, which advances the clock.
std::uint64_t read_clock();
std::uint64_t clock_now();
void advance_clock_to(std::uint64_t ns);

// The deadline of an invalid time-out, for which the caller returns EINVAL.
inline constexpr std::uint64_t kInvalidDeadline = kNoDeadline - 1;

// A null pointer or a time beyond the scale gives kNoDeadline, a time before the scale gives 0. A clock without timed
// waits (CPU time, an unknown clock) gives kInvalidDeadline.
std::uint64_t absolute_deadline(clockid_t clock, const timespec* when);
std::uint64_t relative_deadline(const timespec* interval);

// The time-out argument of a pthread function.
struct Timeout {
  const timespec* when = nullptr;  // nullptr: none
  clockid_t clock = CLOCK_REALTIME;

  std::uint64_t deadline_ns() const { return absolute_deadline(clock, when); }
};

// The reading of `clock` at the virtual time `virtual_ns`. REQUIRES: is_virtual_clock(clock).
std::uint64_t clock_reading(clockid_t clock, std::uint64_t virtual_ns);
bool is_virtual_clock(clockid_t clock);

// Virtual time that a scheduling point takes.
inline constexpr std::uint64_t kStepNs = 20;

// CPU time: advances with steps and with what operations take, not with sleeps. A reading by the program, which
// advances the clock.
std::uint64_t read_cpu_clock();
// The same of one thread.
std::uint64_t read_thread_clock(const Thread* thread);

// A child slept for `ns` since it was started at the virtual time `begin_ns`, and has ended.
void pass_child_time(std::uint64_t begin_ns, std::uint64_t ns);

inline constexpr std::uint64_t kSecondNs = 1'000'000'000;
inline timespec to_timespec(std::uint64_t ns) {
  return {static_cast<time_t>(ns / kSecondNs), static_cast<long>(ns % kSecondNs)};
}
inline timeval to_timeval(std::uint64_t ns) {
  return {static_cast<time_t>(ns / kSecondNs), static_cast<suseconds_t>(ns % kSecondNs / 1000)};
}
inline std::uint64_t to_ns(const timespec& time) {
  return static_cast<std::uint64_t>(time.tv_sec) * kSecondNs + static_cast<std::uint64_t>(time.tv_nsec);
}
inline std::uint64_t to_ns(const timeval& time) { return to_ns(timespec{time.tv_sec, time.tv_usec * 1000}); }

}  // namespace heddle::runtime
