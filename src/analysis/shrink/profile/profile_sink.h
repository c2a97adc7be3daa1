#pragma once
#include "run/process/launcher.h"
#include "run/record/schedule_collector.h"
#include "shrink/profile/communication.h"
#include "shrink/profile/execution_reduction.h"
#include "shrink/profile/loops.h"
#include "shrink/profile/run_observers.h"
#include "trace/ring_decoder.h"

namespace heddle::shrink {

// Hears all that is known of a run before anything is tried, in one pass: the words of a long run are many.
class ProfileSink final : public run::RingSink {
 public:
  explicit ProfileSink(bool count_dependences) : count_dependences_(count_dependences) { schedule.follow(decoder_); }
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
  CommunicationObserver communication;
  run::ScheduleCollector schedule;
  LoopObserver loops;
  ExecutionReduction dependences;

 private:
  trace::RingDecoder decoder_;
  const bool count_dependences_;
};

}  // namespace heddle::shrink
