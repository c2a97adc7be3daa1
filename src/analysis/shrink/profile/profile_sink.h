#pragma once
#include "shrink/profile/communication.h"
#include "shrink/profile/execution_reduction.h"
#include "shrink/profile/loops.h"
#include "shrink/profile/run_observers.h"

namespace heddle::shrink {

// Collects all profiling data of a run in one pass over the events, because long runs have many.
class ProfileSink final : public run::EventObserver {
 public:
  explicit ProfileSink(bool count_dependences) : count_dependences_(count_dependences) {}

  LastAccesses accesses;
  CommunicationObserver communication;
  LoopObserver loops;
  ExecutionReduction dependences;

 private:
  void observe(std::span<const trace::Event> events) override {
    for (const trace::Event& event : events) {
      accesses.add(event);
      communication.add(event);
      loops.add(event);
      if (count_dependences_) dependences.add(event);
    }
  }

  const bool count_dependences_;
};

}  // namespace heddle::shrink
