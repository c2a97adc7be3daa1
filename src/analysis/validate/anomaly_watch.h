#pragma once
#include <cstdint>
#include <vector>

#include "trace/event.h"
#include "validate/guided_schedule.h"

namespace heddle::validate {

// Listens to a run and tells whether the events of an anomaly happened in it, and in which order. An event is known by
// its thread's descent, its site, and how often the thread has been there: what else a thread does on its way there may
// differ, but not what it does from one event of the anomaly to its next.
class AnomalyWatch {
 public:
  // `base_step`: points that main has made before the run begins to be heard.
  // `adjacent`: nothing may come between the events.
  AnomalyWatch(const std::vector<ExpectedEvent>& anomaly, bool adjacent, std::uint64_t base_step)
      : anomaly_(anomaly), adjacent_(adjacent), met_(anomaly.size()), visits_(anomaly.size()), counter_(base_step) {}

  // REQUIRES: called for every event in order.
  void add(ThreadId thread, std::uint64_t descent, const trace::Event& event);

  // All of them happened, each at its site, in the order in which they are listed; and those that touched the same
  // memory in the trace did so here.
  bool happened() const { return first_missing() == anomaly_.size() && same_objects(); }
  // The first that did not, or not where it should; for the report.
  std::size_t first_missing() const;

 private:
  struct Met {
    std::uint64_t order = 0;  // 0: not met
    std::uint64_t object = 0;
    std::uint64_t passed = 0;                           // points of its thread, as ExpectedEvent has them
    std::uint64_t points_before = 0, points_after = 0;  // of all threads
  };
  bool is_in_place(std::size_t index) const;
  bool same_objects() const;

  const std::vector<ExpectedEvent>& anomaly_;
  const bool adjacent_;
  std::vector<Met> met_;
  std::vector<std::uint64_t> visits_;  // of each one's thread to its site
  PointCounter counter_;
  std::uint64_t events_ = 0, points_ = 0;
};

}  // namespace heddle::validate
