#pragma once
#include <string>
#include <vector>

#include "trace/event.h"
#include "trace/file/trace_reader.h"
#include "trace/file/trace_writer.h"
#include "trace/tables.h"

namespace heddle::trace {

// A whole trace in memory: for tests, for small inputs, for what is not a file.
struct Trace {
  TraceTables tables;
  std::vector<Event> events;  // steps ascending
  bool operator==(const Trace&) const = default;
};

// Reads what is left of `reader`.
Trace read_all(TraceReader& reader);
Status write_trace(const std::string& path, const Trace& trace);

}  // namespace heddle::trace
