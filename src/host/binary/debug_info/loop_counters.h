#pragma once
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "support/result.h"

namespace heddle::binary {

// Code of a function in which a loop's counter can be read.
struct CounterRange {
  std::uint64_t begin, end;
  bool at_calls;  // also of a frame that has called another function
};

// A function of the machine code: where it lies, and where each of its loops' counters has a location (abi/blocks.h).
struct FunctionCounters {
  std::uint64_t begin = 0, end = 0;
  std::string source;
  std::shared_ptr<std::map<std::int32_t, std::vector<CounterRange>>>
      counters;  // shared by the parts of a split function
};

// By address. Fails when the program has no debug information.
Result<std::vector<FunctionCounters>> read_loop_counters(const std::string& program);

}  // namespace heddle::binary
