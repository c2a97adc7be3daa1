#pragma once
#include <algorithm>
#include <atomic>
#include <chrono>
#include <memory>
#include <optional>

namespace heddle {

// Ends work that consists of many runs: when its source signals a stop, or at a deadline. The options of a run carry
// it, and both end the run early. Copies are cheap and refer to the same source.
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

  // For the last piece of work, which saves what was found: without the deadline, and all copies of this token see the
  // signal later by kGrace. The same token if it is of this kind already.
  StopToken for_saving() const {
    StopToken token = *this;
    token.deadline_.reset();
    if (!token.seen_) token.seen_ = std::make_shared<std::atomic<Clock::rep>>(0);
    return token;
  }

  bool is_interrupted() const {
    if (signal_ == nullptr || signal_->load(std::memory_order_relaxed) == 0) return false;
    if (!seen_) return true;
    const Clock::duration now = Clock::now().time_since_epoch();
    Clock::rep first = 0;
    if (seen_->compare_exchange_strong(first, now.count())) return false;
    return now >= Clock::duration(first) + kGrace;
  }
  bool is_out_of_time() const { return deadline_ && Clock::now() >= *deadline_; }
  bool stop_requested() const { return is_interrupted() || is_out_of_time(); }

 private:
  static constexpr std::chrono::milliseconds kGrace{200};

  const std::atomic<int>* signal_ = nullptr;
  std::optional<Clock::time_point> deadline_;
  std::shared_ptr<std::atomic<Clock::rep>> seen_;  // when the signal was seen first; 0: not yet
};

}  // namespace heddle
