#pragma once
// Observers of a run. The ring is decoded once: by the observer if there is one, which passes the records of the
// schedule to the collector, otherwise by RingFanOut.
#include <array>
#include <cstdint>
#include <optional>
#include <span>

#include "format/run_result.h"
#include "run/record/schedule_collector.h"
#include "trace/ring_decoder.h"

namespace heddle::run {

// Receives the raw words of the ring. Only the trace writer and the slicer derive from it directly, because they copy
// or log most words without decoding; all other observers are EventObservers.
class RingSink {
 public:
  virtual ~RingSink() = default;
  // Called before the first words. `result` is valid, and changes, while the program runs.
  virtual void begin(const format::SessionResult& result) { (void)result; }
  virtual void consume(std::span<const std::uint64_t> words) = 0;
  // `needed`: the ring is half full, so the program will soon block.
  virtual void set_backpressure(bool needed) { (void)needed; }
  // From now on passes every record that is not an access to `collector`.
  virtual void feed(ScheduleCollector& collector) = 0;
  // Damage of the ring, if any.
  virtual const std::optional<trace::Problem>& problem() const = 0;
};

// Receives the decoded events of a run.
class EventObserver : public RingSink {
 public:
  void consume(std::span<const std::uint64_t> words) override;
  void feed(ScheduleCollector& collector) final { collector_ = &collector; }
  const std::optional<trace::Problem>& problem() const final { return decoder_.problem(); }

 private:
  // In order, including the kinds of records that format/ring.h adds.
  virtual void observe(std::span<const trace::Event> events) = 0;

  trace::RingDecoder decoder_;
  ScheduleCollector* collector_ = nullptr;
  std::array<trace::Event, 256> batch_;
};

// Distributes the ring of one run to the schedule collector and to the observer, if any.
class RingFanOut {
 public:
  // `sink` may be null; otherwise it must outlive this object.
  explicit RingFanOut(RingSink* sink) : sink_(sink) {
    if (sink_ != nullptr) sink_->feed(collector_);
  }
  RingFanOut(const RingFanOut&) = delete;
  RingFanOut& operator=(const RingFanOut&) = delete;

  void consume(std::span<const std::uint64_t> words, bool backpressure);
  const std::optional<trace::Problem>& problem() const {
    return sink_ != nullptr ? sink_->problem() : decoder_.problem();
  }
  Decisions finish(const format::SessionProgress& progress) { return collector_.finish(progress); }

 private:
  RingSink* sink_;
  ScheduleCollector collector_;
  trace::RingDecoder decoder_;  // without a sink
};

}  // namespace heddle::run
