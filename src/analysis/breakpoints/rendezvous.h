#pragma once
// A concurrent breakpoint from a recorded failure: the threads that meet, their places, and their order.
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "base/ids.h"
#include "explain/explanation.h"

namespace heddle::breakpoints {

// How the runtime identifies a place: a site, or the return address of a call in a module's file.
struct ProgramPoint {
  std::uint64_t site = 0;  // hash of its name; 0: a call
  std::string build_id;    // hex
  std::uint64_t offset = 0;
  bool known() const { return site != 0 || offset != 0; }
  bool operator==(const ProgramPoint&) const = default;
};

// A place at which a thread is about to execute an event of the recording.
struct RendezvousPoint {
  ThreadId thread = kMainThread;
  std::size_t event = 0;
  ProgramPoint where;
  std::uint64_t earlier_arrivals = 0;  // of the thread at `where`
  explain::SourceLocation source;
  std::uint32_t column = 0;          // 0: unknown
  std::uint32_t first_line = 0;      // of the statement; 0: unknown
  std::uint64_t earlier_passes = 0;  // of the thread through that line
  // The thread is within the statement: it must stop between what the statement reads and what it writes.
  bool inside_statement = false;
};

struct Rendezvous {
  std::vector<RendezvousPoint> places;  // the thread of the first one resumes first
  // The other threads wait until the first one has completed its part; false: they only wait until all have arrived.
  bool guarded = false;
  bool until_call_returns = false;       // the part is the next call of the first thread
  bool guards_critical_section = false;  // the part is a critical section, from its lock to the unlock
  ProgramPoint guard_end;                // otherwise: the part ends before this; unknown: with the thread
};

}  // namespace heddle::breakpoints
