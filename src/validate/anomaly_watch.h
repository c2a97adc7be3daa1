#pragma once
#include <cstdint>
#include <optional>
#include <vector>

#include "run/launcher.h"
#include "trace/ring_decoder.h"
#include "trace/thread_table.h"
#include "validate/guided_schedule.h"

namespace heddle::validate {

// Listens to a run and tells whether the events of an anomaly happened in it, and in which order.
class AnomalyWatch final : public run::RingSink {
 public:
  // `base_step`: points that main has made before the run begins to be heard.
  AnomalyWatch(const std::vector<ExpectedEvent>& anomaly, std::uint64_t base_step)
      : anomaly_(anomaly), met_(anomaly.size()), counter_(base_step) {}

  void begin(const format::SessionResult&) override {}
  void consume(std::span<const std::uint64_t> words) override;

  // All of them happened, each at its site, in the order in which they are listed; and those that touched the same memory
  // in the trace did so here.
  bool happened() const;
  // The first that did not; for the report.
  std::size_t first_missing() const;

 private:
  struct Met {
    std::uint64_t order = 0;  // 0: not met
    std::uint64_t object = 0;
    bool as_expected = false;
  };
  void add(const trace::RingRecord& record);
  std::uint64_t descent_of(ThreadId thread) const {
    return number(thread) < descents_.size() ? descents_[number(thread)] : 0;
  }

  const std::vector<ExpectedEvent>& anomaly_;
  std::vector<Met> met_;
  trace::RingDecoder decoder_;
  PointCounter counter_;
  std::vector<std::uint64_t> descents_{kMainDescentHash};
  std::vector<std::uint32_t> children_{0};
  std::uint64_t events_ = 0;

  static const std::uint64_t kMainDescentHash;
};

}  // namespace heddle::validate
