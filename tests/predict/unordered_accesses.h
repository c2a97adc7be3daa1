#pragma once
// Where a switch between threads can matter. Synchronisation always can. Of the accesses to memory only those can that
// some run leaves unordered: one thread's access and another's to the same place, one of them a write, with nothing
// between that orders them (forks and joins, operations on the same synchronisation object, accesses found here
// before). Two that are ordered can only change places when what orders them does, and that has a choice of its own.
//
// A search that only switches there has run all orders when none of its runs adds anything here: the shortest prefix
// that would show something new differs from one that was run only in the order of what is independent.
#include <cstdint>
#include <set>
#include <utility>

#include "base/ids.h"
#include "trace/trace.h"

namespace heddle {

class UnorderedAccesses {
 public:
  // Takes in a run. True: it has accesses that were not known to be unordered.
  bool add(const trace::Trace& run);

  bool has(ThreadId thread, SiteId site) const { return known_.contains({number(thread), number(site)}); }
  std::size_t size() const { return known_.size(); }

 private:
  std::set<std::pair<std::uint32_t, std::uint32_t>> known_;  // thread, site
};

}  // namespace heddle
