#pragma once
#include <chrono>
#include <cstdint>
#include <optional>

#include "run/process/child_process.h"

namespace heddle::run {

// Notices that a run makes no step any more, and whether it burns the processor or sleeps in the kernel meanwhile. A
// run that a busy machine gives no processor does neither: how long it waits for one says nothing about the program.
class StallWatchdog {
 public:
  using Clock = std::chrono::steady_clock;
  enum class Verdict { Moving, Spinning, Sleeping };

  // `window` zero: never says anything but Moving.
  explicit StallWatchdog(std::chrono::milliseconds window) : window_(window) {}

  // `read_usage` gives a ProcessUsage; it is asked only when a stall comes into sight. A stall is told once; the next
  // one counts from the next step.
  template <typename ReadUsage>
  Verdict observe(std::uint64_t steps, Clock::time_point now, ReadUsage read_usage) {
    if (!since_ || steps != steps_) {
      steps_ = steps;
      since_ = now;
      cpu_before_.reset();
      told_ = false;
      return Verdict::Moving;
    }
    if (told_ || window_.count() == 0 || now - *since_ < window_ / 2) return Verdict::Moving;
    if (cpu_before_ && now < next_look_) return Verdict::Moving;
    next_look_ = now + window_ / (2 * kLooks);
    const ProcessUsage usage = read_usage();
    if (!cpu_before_) {
      cpu_before_ = usage.cpu;
      asleep_ = 0;
      return Verdict::Moving;
    }
    asleep_ = usage.runnable ? 0 : asleep_ + 1;
    const bool spins = usage.cpu - *cpu_before_ >= window_ / 2;
    if (!spins && asleep_ < kLooks) return Verdict::Moving;
    told_ = true;
    return spins ? Verdict::Spinning : Verdict::Sleeping;
  }

 private:
  // In the second half of the window. Whoever is found asleep at all of them in a row sleeps.
  static constexpr int kLooks = 10;

  std::chrono::milliseconds window_;
  std::uint64_t steps_ = 0;
  std::optional<Clock::time_point> since_;
  std::optional<std::chrono::milliseconds> cpu_before_;
  Clock::time_point next_look_{};
  int asleep_ = 0;
  bool told_ = false;
};

// The time that a run may take. What it has waited for a processor is not the program's, and does not count.
class RunClock {
 public:
  using Clock = std::chrono::steady_clock;

  // `bound` zero: there is none.
  RunClock(Clock::time_point begin, std::chrono::milliseconds bound) : bound_(bound), end_(begin + bound) {}

  template <typename ReadUsage>
  bool is_over(Clock::time_point now, ReadUsage read_usage) {
    if (bound_.count() == 0 || now < end_) return false;
    const std::chrono::milliseconds waited = read_usage().waited;
    // A share of a moment would be asked for again and again.
    const std::chrono::milliseconds more = waited - waited_;
    if (more <= bound_ / 20) return true;
    waited_ = waited;
    end_ += more;
    return now >= end_;
  }

 private:
  std::chrono::milliseconds bound_;
  std::chrono::milliseconds waited_{0};  // that the end was put off by
  Clock::time_point end_;
};

}  // namespace heddle::run
