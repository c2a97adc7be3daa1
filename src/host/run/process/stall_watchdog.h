#pragma once
#include <chrono>
#include <cstdint>
#include <optional>

#include "run/process/child_process.h"

namespace heddle::run {

// Detects that a run makes no steps, and whether it spins or sleeps in the kernel. A run that waits for a processor on
// a busy machine does neither and is not stalled. Within one window: the first half needs no system call, in the second
// half the usage is read kChecks times. A run that used the processor for half a window spins; a run that was asleep at
// all checks in a row sleeps.
class StallWatchdog {
 public:
  using Clock = std::chrono::steady_clock;
  enum class Verdict { Moving, Spinning, Sleeping };

  // `window` zero: always Moving.
  explicit StallWatchdog(std::chrono::milliseconds window) : window_(window) {}

  // `read_usage` returns a ProcessUsage; it is called only in the second half of a window. A stall is reported once;
  // the next window begins at the next step.
  template <typename ReadUsage>
  Verdict observe(std::uint64_t steps, Clock::time_point now, ReadUsage read_usage) {
    if (!since_ || steps != steps_) {
      steps_ = steps;
      since_ = now;
      cpu_before_.reset();
      reported_ = false;
      return Verdict::Moving;
    }
    if (reported_ || window_.count() == 0 || now - *since_ < window_ / 2) return Verdict::Moving;
    if (cpu_before_ && now < next_check_) return Verdict::Moving;
    next_check_ = now + window_ / (2 * kChecks);
    const ProcessUsage usage = read_usage();
    if (!cpu_before_) {
      cpu_before_ = usage.cpu;
      asleep_ = 0;
      return Verdict::Moving;
    }
    asleep_ = usage.runnable ? 0 : asleep_ + 1;
    const bool spins = usage.cpu - *cpu_before_ >= window_ / 2;
    if (!spins && asleep_ < kChecks) return Verdict::Moving;
    reported_ = true;
    return spins ? Verdict::Spinning : Verdict::Sleeping;
  }

 private:
  static constexpr int kChecks = 10;

  std::chrono::milliseconds window_;
  std::uint64_t steps_ = 0;
  std::optional<Clock::time_point> since_;
  std::optional<std::chrono::milliseconds> cpu_before_;
  Clock::time_point next_check_{};
  int asleep_ = 0;  // consecutive checks
  bool reported_ = false;
};

// The time limit of a run. Waiting for a processor does not count.
class RunClock {
 public:
  using Clock = std::chrono::steady_clock;

  // `bound` zero: no limit.
  RunClock(Clock::time_point begin, std::chrono::milliseconds bound) : bound_(bound), end_(begin + bound) {}

  template <typename ReadUsage>
  bool is_over(Clock::time_point now, ReadUsage read_usage) {
    if (bound_.count() == 0 || now < end_) return false;
    const std::chrono::milliseconds waited = read_usage().waited;
    // Ignores small waits, which would extend the limit again and again by less and less.
    const std::chrono::milliseconds more = waited - waited_;
    if (more <= bound_ / 20) return true;
    waited_ = waited;
    end_ += more;
    return now >= end_;
  }

 private:
  std::chrono::milliseconds bound_;
  std::chrono::milliseconds waited_{0};  // by which the end was postponed
  Clock::time_point end_;
};

}  // namespace heddle::run
