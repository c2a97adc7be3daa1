#pragma once
#include <cstdint>
#include <map>
#include <vector>

#include "trace/file/trace_reader.h"

namespace heddle::trace {

// Statistics of a trace.
struct TraceSummary {
  std::uint64_t events = 0;
  StepIndex steps = 0;  // one more than the last step; exceeds `events` if chunks are damaged
  std::map<format::EventKind, std::uint64_t> events_by_kind;
  std::map<ThreadId, std::uint64_t> events_by_thread;
  std::uint64_t switches = 0;
  std::uint64_t preemptions = 0;
  std::uint64_t sites_seen = 0;
  std::uint64_t sites_known = 0;
  std::uint64_t values = 0;  // events with a value
  std::vector<Problem> problems;
};

// Reads `reader` to its end.
TraceSummary summarize(TraceReader& reader);

}  // namespace heddle::trace
