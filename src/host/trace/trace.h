#pragma once
#include <string>
#include <vector>

#include "trace/event.h"
#include "trace/file/trace_reader.h"
#include "trace/file/trace_writer.h"
#include "trace/tables.h"

namespace heddle::trace {

// A whole trace in memory, for tests and small inputs.
struct Trace {
  TraceTables tables;
  std::vector<Event> events;  // steps ascending
  bool operator==(const Trace&) const = default;
};

// Reads the rest of `reader`.
Trace read_all(TraceReader& reader);
Status write_trace(const std::string& path, const Trace& trace);

}  // namespace heddle::trace
