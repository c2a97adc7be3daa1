#pragma once
#include "run/process/ring_sink.h"
#include "trace/thread_table.h"
#include "validate/anomaly_watch.h"
#include "validate/run_paths.h"

namespace heddle::validate {

// Everything that is to be known of one execution of a schedule: whether its anomaly happened, and which ways it took.
class RunWatch final : public run::EventObserver {
 public:
  RunWatch(const GuidedSchedule& schedule, std::uint64_t base_step)
      : anomaly_(schedule.anomaly, schedule.adjacent, base_step) {}

  const AnomalyWatch& anomaly() const { return anomaly_; }
  RunPaths take_paths() { return paths_.take(); }

 private:
  void observe(std::span<const trace::Event> events) override {
    for (const trace::Event& event : events) add(event);
  }
  void add(const trace::Event& event);

  trace::ThreadTable threads_;
  std::vector<std::uint64_t> descents_ = threads_.descents();
  AnomalyWatch anomaly_;
  PathRecorder paths_;
};

}  // namespace heddle::validate
