#pragma once
#include <cstdint>
#include <vector>

#include "trace/event.h"
#include "validate/guided_schedule.h"

namespace heddle::validate {

// Observes a run and decides whether the events of an anomaly happen in the expected order. An event is identified by
// its thread's descent, its site, and how often the thread has been there. A thread may take another path to its first
// event of the anomaly, but from one of its events to its next it must pass the expected number of points.
class AnomalyObserver {
 public:
  // `base_step`: points of main before the first observed event. `adjacent`: no point may lie between the events.
  AnomalyObserver(const std::vector<ExpectedEvent>& anomaly, bool adjacent, std::uint64_t base_step)
      : anomaly_(anomaly), adjacent_(adjacent), met_(anomaly.size()), visits_(anomaly.size()), counter_(base_step) {}

  // REQUIRES: called for every event in order.
  void add(ThreadId thread, std::uint64_t descent, const trace::Event& event);

  // True if all events happened at their sites in the listed order, and those that touched the same memory in the trace
  // did so here.
  bool happened() const { return first_missing() == anomaly_.size() && same_objects(); }
  // Index of the first event that did not happen, or not in its place.
  std::size_t first_missing() const;

 private:
  struct Met {
    std::uint64_t order = 0;  // 0: not met
    std::uint64_t object = 0;
    std::uint64_t passed = 0;                           // points of its thread, as in ExpectedEvent
    std::uint64_t points_before = 0, points_after = 0;  // of all threads
  };
  bool is_in_place(std::size_t index) const;
  bool same_objects() const;

  const std::vector<ExpectedEvent>& anomaly_;
  const bool adjacent_;
  std::vector<Met> met_;
  std::vector<std::uint64_t> visits_;  // by event: visits of its thread to its site
  PointCounter counter_;
  std::uint64_t events_ = 0, points_ = 0;
};

}  // namespace heddle::validate
