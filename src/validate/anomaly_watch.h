#pragma once
#include <cstdint>
#include <vector>

#include "trace/ring_decoder.h"
#include "validate/guided_schedule.h"

namespace heddle::validate {

// Listens to a run and tells whether the events of an anomaly happened in it, and in which order. An event is known by its
// thread's descent, its site, and how often the thread has been there: what else a thread does on its way may differ.
class AnomalyWatch {
 public:
  // `base_step`: points that main has made before the run begins to be heard.
  AnomalyWatch(const std::vector<ExpectedEvent>& anomaly, std::uint64_t base_step)
      : anomaly_(anomaly), met_(anomaly.size()), visits_(anomaly.size()), counter_(base_step) {}

  // REQUIRES: called for every event in order.
  void add(ThreadId thread, std::uint64_t descent, const trace::RingRecord& record);

  // All of them happened, each at its site, in the order in which they are listed; and those that touched the same memory
  // in the trace did so here.
  bool happened() const { return first_missing() == anomaly_.size() && same_objects(); }
  // The first that did not, or not after the one before it; for the report.
  std::size_t first_missing() const;

 private:
  struct Met {
    std::uint64_t order = 0;  // 0: not met
    std::uint64_t object = 0;
  };
  bool same_objects() const;

  const std::vector<ExpectedEvent>& anomaly_;
  std::vector<Met> met_;
  std::vector<std::uint64_t> visits_;  // of each one's thread to its site
  PointCounter counter_;
  std::uint64_t events_ = 0;
};

}  // namespace heddle::validate
