#pragma once
// Dynamic execution reduction: S. Tallam, C. Tian, R. Gupta, X. Zhang, "Enabling Tracing of Long-Running Multithreaded
// Programs via Dynamic Execution Reduction", ISSTA 2007. It is the baseline for analysis/slice, and needs no data flow
// inside a thread: each event of a thread depends on all earlier events of the thread. The result therefore contains
// every relevant event, and some irrelevant ones.
#include <cstdint>
#include <vector>

#include "trace/event.h"

namespace heddle::shrink {

class ExecutionReduction {
 public:
  void add(const trace::Event& record);

  // Returns, by event in the order of add(), whether the failure of these threads depends on it. Between threads, an
  // acquisition depends on the release, a thread's beginning on its fork, a join on the exit and a wake-up on the
  // signal. Of accesses to one word, a read depends on the last write, and a write on the last write and the reads
  // since.
  std::vector<bool> relevant(const std::vector<std::uint32_t>& failed) const;

  struct Count {
    std::uint64_t events = 0, relevant = 0;
  };
  Count count(const std::vector<std::uint32_t>& failed) const;

 private:
  struct Event {
    std::uint64_t object;
    std::uint32_t thread;
    format::EventKind kind;
  };

  std::vector<Event> events_;
};

}  // namespace heddle::shrink
