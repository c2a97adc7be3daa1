#pragma once
#include "run/launcher.h"
#include "run/schedule_collector.h"
#include "shrink/communication.h"
#include "shrink/dependence.h"
#include "shrink/loops.h"
#include "shrink/run_watches.h"
#include "trace/ring_decoder.h"

namespace heddle::shrink {

// Hears all that is known of a run before anything is tried, in one pass: the words of a long run are many.
class StudySink final : public run::RingSink {
 public:
  explicit StudySink(bool count_dependences) : count_dependences_(count_dependences) { schedule.follow(decoder_); }
  void begin(const format::SessionResult&) override {}
  void consume(std::span<const std::uint64_t> words) override {
    decoder_.decode(words, [this](const trace::RingRecord& record) {
      accesses.add(record);
      communication.add(record);
      loops.add(record);
      if (!format::is_access(record.kind)) schedule.take(record);
      if (count_dependences_) dependences.add(record);
    });
  }

  LastAccesses accesses;
  CommunicationWatch communication;
  run::ScheduleCollector schedule;
  LoopWatch loops;
  DependenceWatch dependences;

 private:
  trace::RingDecoder decoder_;
  const bool count_dependences_;
};

}  // namespace heddle::shrink
