#pragma once
// What a run, or the beginning of one, has in common with all its reorderings in which every read finds the same write.
//
// Two beginnings with the same state have the same continuations: what threads did and read fixes what they do next,
// and the last writes fix what they will read. And they have the same anomalies among the reorderings with the same
// reads, as far as the search for these is complete: in which order locks were taken is open in both.
#include <cstdint>
#include <unordered_map>
#include <unordered_set>

#include "base/hash.h"
#include "trace/trace.h"

namespace heddle {

class ReadsState {
 public:
  void add(const trace::Event& event);

  // Of what the threads did and read, and of the order in which they met at objects other than locks.
  std::uint64_t of_threads() const { return of_threads_; }
  // And of the memory that they left.
  std::uint64_t value() const { return of_threads_ + of_memory_; }

 private:
  struct Thread {
    EventHash hash;
    std::uint64_t events = 0;
    std::uint64_t part = 0;  // of of_threads_
  };
  struct LastWrite {
    std::uint64_t name = 0;
    std::uint64_t part = 0;  // of of_memory_
  };

  bool is_without_effect(const trace::Event& event);
  void add_access(Thread& thread, std::uint64_t name, const trace::Event& event);

  std::unordered_map<std::uint32_t, Thread> threads_;
  std::unordered_map<std::uint64_t, LastWrite> writes_;       // by granule of 8 bytes
  std::unordered_map<std::uint64_t, std::uint64_t> objects_;  // the last operation on each
  std::unordered_map<std::uint64_t, std::int64_t> sleepers_;  // at each condition variable
  std::uint64_t of_threads_ = 0, of_memory_ = 0;
};

// The states at which a run chose the next thread.
class StatesAtChoices {
 public:
  // REQUIRES: everything was recorded, so that each point has its event.
  explicit StatesAtChoices(const trace::Trace& run);

  // 0: the run did not come there. `current_runnable` as in format::DecisionRecord.
  std::uint64_t at(std::uint64_t step, bool current_runnable) const;
  // Whether what was done there could not have come out otherwise: a look at something that is initialised once, and
  // was.
  bool is_settled(std::uint64_t step) const { return settled_.contains(step); }
  std::uint64_t class_of_run() const { return class_of_run_; }

 private:
  // By step. A thread that keeps the turn is asked before its event, one that loses it before the switch.
  std::unordered_map<std::uint64_t, std::uint64_t> before_events_, at_switches_;
  std::unordered_set<std::uint64_t> settled_;  // steps
  std::uint64_t class_of_run_ = 0;
};

}  // namespace heddle
