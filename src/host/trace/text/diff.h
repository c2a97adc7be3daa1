#pragma once
#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "trace/file/trace_reader.h"

namespace heddle::trace {

// The first difference between two traces.
struct TraceDifference {
  StepIndex step = 0;
  std::optional<Event> left, right;  // nullopt: the trace ends or has a gap here
  std::vector<std::string> fields;   // the differing fields, by their names in the text form; "flags" for any flag
  std::vector<Event> before;         // the last common events, in order
};

// nullopt if the traces are equal. Sites are compared by name where both traces have names, so that traces of two
// builds can be compared.
std::optional<TraceDifference> find_first_difference(TraceReader& left, TraceReader& right,
                                                     std::size_t context_events = 8);

}  // namespace heddle::trace
