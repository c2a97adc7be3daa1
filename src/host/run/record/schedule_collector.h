#pragma once
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "base/hash.h"
#include "format/run_result.h"
#include "support/long_list.h"
#include "trace/ring_decoder.h"

namespace heddle::run {

// The decisions of a run, by ThreadId.
struct Decisions {
  struct Thread {
    std::uint32_t parent = 0;
    std::uint32_t ordinal = 0;  // among its parent's children, from 1; 0 for main
    std::uint64_t descent = kMainDescent;
  };
  // A thread kept the turn for `points` scheduling points, then lost it to the thread of the next run.
  struct Run {
    std::uint32_t thread = 0;
    std::uint32_t points = 0;
    std::uint32_t check = 0;
    std::uint32_t site = 0;  // where it stopped and what it was about to do
    format::EventKind kind{};
    bool preemption = false;
  };
  // Where a run stopped; one for each run but the last when the execution was annotated.
  struct Stop {
    std::uint64_t occurrence = 0;
    std::uint32_t frames_begin = 0;
    std::uint32_t frames_count = 0;
    std::uint32_t after_site = 0;  // the thread's last access before; 0: it had made none
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

// Takes the schedule out of the ring's records.
class ScheduleCollector {
 public:
  void consume(std::span<const std::uint64_t> words);
  // Instead of consume(), where somebody else goes through the words as well: what comes out of `decoder` is shown by
  // take(), accesses need not be.
  void follow(const trace::RingDecoder& decoder) { followed_ = &decoder; }
  void take(const trace::RingRecord& record);
  const std::optional<trace::Problem>& problem() const { return decoder().problem(); }
  // The last run has no switch at its end: its length is what is missing from `steps`.
  Decisions finish(const format::SessionProgress& progress);

 private:
  const trace::RingDecoder& decoder() const { return followed_ != nullptr ? *followed_ : decoder_; }
  void take_switch(const trace::RingRecord& record);
  void take_fork(std::uint32_t parent, std::uint32_t child);

  trace::RingDecoder decoder_;
  const trace::RingDecoder* followed_ = nullptr;
  Decisions decisions_;
  std::vector<std::uint32_t> children_{0};  // by thread: how many it has
  std::uint64_t points_ = 0;
};

}  // namespace heddle::run
