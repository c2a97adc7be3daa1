#pragma once
// A concurrent breakpoint as it comes out of a recorded failure: threads that meet, where, and who goes first.
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/ids.h"
#include "explain/explanation.h"

namespace heddle::breakpoints {

// What the runtime knows a place by: a site, or the return address of a call in a module's file.
struct Where {
  std::uint64_t site = 0;  // hash of its name; 0: a call
  std::string build_id;    // hex
  std::uint64_t offset = 0;
  bool known() const { return site != 0 || offset != 0; }
  bool operator==(const Where&) const = default;
};

// A thread is about to do an event of the recording.
struct RendezvousPoint {
  ThreadId thread = kMainThread;
  std::size_t event = 0;
  Where where;
  std::uint64_t earlier_arrivals = 0;  // of the thread at `where`
  explain::SourceLocation source;
  std::uint32_t column = 0;          // 0: unknown
  std::uint32_t first_line = 0;      // of the statement; 0: unknown
  std::uint64_t earlier_passes = 0;  // of the thread over that line
  // The statement has begun already when the thread comes here: it must be stopped before it writes what it has read.
  bool inside_statement = false;
  bool operator==(const RendezvousPoint&) const = default;
};

struct Rendezvous {
  std::vector<RendezvousPoint> places;  // the first goes first
  // The others go on when the first one has done its part; without it they all just have met.
  bool guarded = false;
  bool until_call_returns = false;       // ... with the call that the first is about to make
  bool guards_critical_section = false;  // the first one's part is one, from its lock until that is released
  Where guard_end;                       // else: before this the part is done; unknown: with the thread's end
  bool operator==(const Rendezvous&) const = default;
};

}  // namespace heddle::breakpoints
