#pragma once
#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "trace/file/trace_reader.h"

namespace heddle::trace {

// Where two traces part.
struct TraceDifference {
  StepIndex step = 0;
  std::optional<Event> left, right;  // nothing: that trace ends, or has a gap, here
  std::vector<std::string> fields;   // what differs, by its name in the text form; "flags" for preemption and failed
  std::vector<Event> before;         // the last events that they share, in order
};

// The first event in which the traces differ; nothing when all are equal. Sites are compared by
// name where both traces have one, so that traces of two builds can be compared.
std::optional<TraceDifference> find_first_difference(TraceReader& left, TraceReader& right,
                                                     std::size_t context_events = 8);

}  // namespace heddle::trace
