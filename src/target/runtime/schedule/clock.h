#pragma once
// Virtual time, in nanoseconds since the epoch, and the program's clocks and time-outs on its scale.
#include <sys/time.h>
#include <time.h>

#include <cstdint>

#include "runtime/schedule/thread.h"

namespace heddle::runtime {

// Each reading advances it a little.
std::uint64_t read_clock();
std::uint64_t clock_now();
void advance_clock_to(std::uint64_t ns);

// The time-out is not a valid one: EINVAL.
inline constexpr std::uint64_t kInvalidDeadline = kNoDeadline - 1;

// A null pointer is no time-out: kNoDeadline. What lies beyond the scale is kNoDeadline too; what lies before it is 0.
// Clocks that nobody can wait for (CPU time, unknown ones) are kInvalidDeadline.
std::uint64_t absolute_deadline(clockid_t clock, const timespec* when);
std::uint64_t relative_deadline(const timespec* interval);

// A time-out as the callers of pthread functions give it.
struct Timeout {
  const timespec* when = nullptr;  // nullptr: none
  clockid_t clock = CLOCK_REALTIME;

  std::uint64_t deadline_ns() const { return absolute_deadline(clock, when); }
};

// What `clock` shows when the virtual clock stands at `virtual_ns`. REQUIRES: is_virtual_clock(clock).
std::uint64_t clock_reading(clockid_t clock, std::uint64_t virtual_ns);
bool is_virtual_clock(clockid_t clock);

// By how much a scheduling point moves the virtual clock.
inline constexpr std::uint64_t kStepNs = 20;

// Time that the program has used: passes with its steps and with looking at it, not with sleeping.
std::uint64_t read_cpu_clock();

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
