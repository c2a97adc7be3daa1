#pragma once
#include <chrono>
#include <cstdint>
#include <optional>

namespace heddle::run {

// Notices that a run makes no step any more, and whether it burns the processor or sleeps in the kernel meanwhile.
class StallWatchdog {
 public:
  using Clock = std::chrono::steady_clock;
  enum class Verdict { Moving, Spinning, Sleeping };

  // `window` zero: never says anything but Moving.
  explicit StallWatchdog(std::chrono::milliseconds window) : window_(window) {}

  // `read_cpu` gives the processor time that the process has used; it is asked only when a stall comes into sight.
  // A stall is told once; the next one counts from the next step.
  template <typename ReadCpu>
  Verdict observe(std::uint64_t steps, Clock::time_point now, ReadCpu read_cpu) {
    if (!since_ || steps != steps_) {
      steps_ = steps;
      since_ = now;
      cpu_before_.reset();
      told_ = false;
      return Verdict::Moving;
    }
    if (told_ || window_.count() == 0 || now - *since_ < window_ / 2) return Verdict::Moving;
    if (!cpu_before_) {
      cpu_before_ = read_cpu();
      return Verdict::Moving;
    }
    if (now - *since_ < window_) return Verdict::Moving;
    told_ = true;
    // A machine under load gives even a loop only a share of its time; a sleeper takes next to none.
    return read_cpu() - *cpu_before_ > window_ / 20 ? Verdict::Spinning : Verdict::Sleeping;
  }

 private:
  std::chrono::milliseconds window_;
  std::uint64_t steps_ = 0;
  std::optional<Clock::time_point> since_;
  std::optional<std::chrono::milliseconds> cpu_before_;
  bool told_ = false;
};

}  // namespace heddle::run
