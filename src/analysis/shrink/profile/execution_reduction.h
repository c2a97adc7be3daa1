#pragma once
// Which events remain when whole threads are reduced, by what threads hand to each other (S. Tallam, C. Tian, R. Gupta,
// X. Zhang, "Enabling Tracing of Long-Running Multithreaded Programs via Dynamic Execution Reduction", ISSTA 2007): the
// baseline that analysis/slice is compared with, for programs that log nothing of how values flow inside a thread.
// There everything depends on all that came before: no event is left out that matters, and some are kept that do not.
#include <cstdint>
#include <vector>

#include "trace/event.h"

namespace heddle::shrink {

class ExecutionReduction {
 public:
  void add(const trace::Event& record);

  // Between threads: a lock taken on its release, a thread's beginning on its fork, a join on the exit, who was woken
  // on who woke, and of accesses to one word each read on the last write, each write on the last write and the reads
  // since. True for events that `failed` depend on with all that they did, in the order in which they were added.
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
    bool write;
  };

  std::vector<Event> events_;
};

}  // namespace heddle::shrink
