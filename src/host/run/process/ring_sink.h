#pragma once
// What listens to a run through its ring. The ring is decoded once: by the listener if there is one, which shows the
// records that the schedule is made of to the collector.
#include <array>
#include <cstdint>
#include <optional>
#include <span>

#include "format/run_result.h"
#include "run/record/schedule_collector.h"
#include "trace/ring_decoder.h"

namespace heddle::run {

// Receives the words of the ring. Only the trace writer and the slicer do, which copy or log most of them where they
// lie; all others are EventObservers.
class RingSink {
 public:
  virtual ~RingSink() = default;
  // Before the first words. `result` lives, and changes, as long as the program runs.
  virtual void begin(const format::SessionResult& result) { (void)result; }
  virtual void consume(std::span<const std::uint64_t> words) = 0;
  // Whether the program waits for it, or soon will.
  virtual void set_backpressure(bool needed) { (void)needed; }
  // Shows `collector` every record that is not an access, from now on.
  virtual void feed(ScheduleCollector& collector) = 0;
  // Where the ring was damaged.
  virtual const std::optional<trace::Problem>& problem() const = 0;
};

// Receives the events of a run.
class EventObserver : public RingSink {
 public:
  void consume(std::span<const std::uint64_t> words) override;
  void feed(ScheduleCollector& collector) final { collector_ = &collector; }
  const std::optional<trace::Problem>& problem() const final { return decoder_.problem(); }

 private:
  // In order; what format/ring.h adds to the kinds of events is among them.
  virtual void observe(std::span<const trace::Event> events) = 0;

  trace::RingDecoder decoder_;
  ScheduleCollector* collector_ = nullptr;
  std::array<trace::Event, 256> batch_;
};

// The ring of one run: its schedule, and what else listens.
class RingFanOut {
 public:
  // `sink` may be null, and outlives this.
  explicit RingFanOut(RingSink* sink) : sink_(sink) {
    if (sink_ != nullptr) sink_->feed(collector_);
  }
  RingFanOut(const RingFanOut&) = delete;
  RingFanOut& operator=(const RingFanOut&) = delete;

  // `program_waits`: or soon will, for the ring to be emptied.
  void consume(std::span<const std::uint64_t> words, bool program_waits);
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
