#pragma once
#include <algorithm>
#include <atomic>
#include <chrono>
#include <optional>

namespace heddle {

// Ends work that consists of many runs: when its source signals a stop, or at a deadline. The options of a run carry
// it, but only the signal ends a single run early. Copies are cheap and refer to the same source.
class StopToken {
 public:
  using Clock = std::chrono::steady_clock;

  StopToken() = default;  // never requests a stop
  // `signal`: not 0 once a stop is requested. Must outlive all copies.
  explicit StopToken(const std::atomic<int>& signal) : signal_(&signal) {}

  // The same source with a deadline; the earlier one if there is a deadline already.
  StopToken until(Clock::time_point deadline) const {
    StopToken token = *this;
    token.deadline_ = deadline_ ? std::min(*deadline_, deadline) : deadline;
    return token;
  }
  // As until(), from now on; 0: no deadline.
  StopToken within(std::chrono::milliseconds time) const {
    return time.count() == 0 ? *this : until(Clock::now() + time);
  }

  bool is_interrupted() const { return signal_ != nullptr && signal_->load(std::memory_order_relaxed) != 0; }
  bool is_out_of_time() const { return deadline_ && Clock::now() >= *deadline_; }
  bool stop_requested() const { return is_interrupted() || is_out_of_time(); }

 private:
  const std::atomic<int>* signal_ = nullptr;
  std::optional<Clock::time_point> deadline_;
};

}  // namespace heddle
