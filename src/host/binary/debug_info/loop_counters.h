#pragma once
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "support/result.h"

namespace heddle::binary {

// A code range in which the counter of a loop can be read.
struct CounterRange {
  std::uint64_t begin, end;
  bool at_calls;  // also while the frame is in a call
};

// One contiguous part of a function, and the code ranges in which its loop counters have a location (abi/blocks.h).
struct FunctionCounters {
  using ByLoop = std::map<std::int32_t, std::vector<CounterRange>>;
  std::uint64_t begin = 0, end = 0;
  std::string source;
  std::shared_ptr<ByLoop> counters;  // shared by the parts of a split function
};

// Sorted by address. Fails if the program has no debug information.
Result<std::vector<FunctionCounters>> read_loop_counters(const std::string& program);

}  // namespace heddle::binary
