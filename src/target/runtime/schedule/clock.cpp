#include "runtime/schedule/clock.h"

#include "runtime/runtime.h"
#include "runtime/schedule/scheduler.h"

namespace heddle::runtime {
namespace {

// Noon of 1 January 2026, UTC, so that every run sees the same date.
constexpr std::uint64_t kStart = 1'767'268'800'000'000'000u;
// Time that a reading takes, also of the CPU clock: a loop that polls either clock must terminate.
constexpr std::uint64_t kReadingNs = 100;

// Clocks that do not count from the epoch are zero here, three days before kStart: late enough that their readings are
// not mistaken for wall-clock time, early enough that a program can subtract hours from them.
constexpr std::uint64_t kBoot = 1'767'000'000'000'000'000u;
constexpr std::uint64_t kTaiAheadNs = 37 * kSecondNs;

bool valid(const timespec* time) { return time->tv_nsec >= 0 && time->tv_nsec < static_cast<long>(kSecondNs); }

constexpr clockid_t kEpochClocks[] = {CLOCK_REALTIME, CLOCK_REALTIME_COARSE, CLOCK_REALTIME_ALARM};
constexpr clockid_t kBootClocks[] = {CLOCK_MONOTONIC, CLOCK_MONOTONIC_COARSE, CLOCK_MONOTONIC_RAW, CLOCK_BOOTTIME,
                                     CLOCK_BOOTTIME_ALARM};

template <std::size_t kCount>
bool is_one_of(const clockid_t (&clocks)[kCount], clockid_t clock) {
  for (const clockid_t one : clocks)
    if (one == clock) return true;
  return false;
}

// The virtual time at which `clock` reads zero. For CLOCK_TAI it is negative: the subtraction in clock_reading() wraps.
std::uint64_t zero_of(clockid_t clock) {
  return clock == CLOCK_TAI ? -kTaiAheadNs : is_one_of(kEpochClocks, clock) ? 0 : kBoot;
}

std::uint64_t saturating_sum(std::uint64_t base_ns, const timespec* time) {
  constexpr std::uint64_t kSecondsMax = (kInvalidDeadline - 1) / kSecondNs;
  const auto seconds = static_cast<std::uint64_t>(time->tv_sec);
  if (seconds >= kSecondsMax - base_ns / kSecondNs - 1) return kNoDeadline;
  return base_ns + seconds * kSecondNs + static_cast<std::uint64_t>(time->tv_nsec);
}

}  // namespace

std::uint64_t clock_now() { return kStart + hot.progress->steps * kStepNs + rt.scheduler.extra_ns; }

std::uint64_t read_clock() {
  rt.scheduler.extra_ns += kReadingNs;
  return clock_now();
}

void advance_clock_to(std::uint64_t ns) {
  const std::uint64_t now = clock_now();
  if (ns > now) rt.scheduler.extra_ns += ns - now;
  hot.progress->virtual_ns = clock_now() - kStart;
}

bool is_virtual_clock(clockid_t clock) {
  return clock == CLOCK_TAI || is_one_of(kEpochClocks, clock) || is_one_of(kBootClocks, clock);
}

std::uint64_t clock_reading(clockid_t clock, std::uint64_t virtual_ns) { return virtual_ns - zero_of(clock); }

std::uint64_t absolute_deadline(clockid_t clock, const timespec* when) {
  if (when == nullptr) return kNoDeadline;
  if (!valid(when) || !is_virtual_clock(clock)) return kInvalidDeadline;
  if (when->tv_sec < 0) return 0;
  if (clock != CLOCK_TAI) return saturating_sum(zero_of(clock), when);
  const std::uint64_t deadline = saturating_sum(0, when);
  return deadline == kNoDeadline ? kNoDeadline : deadline < kTaiAheadNs ? 0 : deadline - kTaiAheadNs;
}

std::uint64_t relative_deadline(const timespec* interval) {
  if (interval == nullptr) return kNoDeadline;
  if (!valid(interval) || interval->tv_sec < 0) return kInvalidDeadline;
  return saturating_sum(clock_now(), interval);
}

std::uint64_t read_cpu_clock() { return hot.progress->steps * kStepNs + ++rt.scheduler.cpu_readings * kReadingNs; }

}  // namespace heddle::runtime
