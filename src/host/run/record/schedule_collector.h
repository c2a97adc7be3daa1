#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "base/hash.h"
#include "format/run_result.h"
#include "support/long_list.h"
#include "trace/event.h"

namespace heddle::run {

// The schedule of one run, with threads by ThreadId.
struct Decisions {
  struct Thread {
    std::uint32_t parent = 0;
    std::uint32_t ordinal = 0;  // among its parent's children, from 1; 0 for main
    std::uint64_t descent = kMainDescent;
  };
  // A thread kept the turn for `points` scheduling points; then the thread of the next run got it.
  struct Run {
    std::uint32_t thread = 0;
    std::uint32_t points = 0;
    std::uint32_t check = 0;
    std::uint32_t site = 0;  // of the pending operation at which the thread stopped; 0: not an access
    format::EventKind kind{};
    bool preemption = false;
  };
  // Where a run stopped. Annotated executions have one for each run except the last.
  struct Stop {
    std::uint64_t occurrence = 0;
    std::uint32_t frames_begin = 0;
    std::uint32_t frames_count = 0;
    std::uint32_t after_site = 0;  // the last access of the thread before the stop; 0: none
    std::uint32_t after_occurrence = 0;
    std::uint32_t after_same = 0;  // operations of this kind since then
  };

  std::vector<Thread> threads{1};
  LongList<Run> runs;
  std::vector<std::uint32_t> choices;
  std::vector<std::int64_t> arrivals;
  std::vector<Stop> stops;
  std::vector<std::uint64_t> frames;

  // "0", "0.2", "0.2.1".
  std::string descent_name(std::uint32_t thread) const;
};

// Builds the schedule from the decoded records of a run; records of accesses are not needed.
class ScheduleCollector {
 public:
  void take(const trace::Event& record);
  // Adds the last run, which no switch ends: its length is `steps` minus the points of the runs before.
  Decisions finish(const format::SessionProgress& progress);

 private:
  void take_switch(const trace::Event& record);
  void take_fork(std::uint32_t parent, std::uint32_t child);

  Decisions decisions_;
  std::uint32_t current_thread_ = number(kMainThread);
  std::vector<std::uint32_t> children_{0};  // number of children, by thread
  std::uint64_t points_ = 0;
};

}  // namespace heddle::run
