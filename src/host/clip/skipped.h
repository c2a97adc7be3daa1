#pragma once
#include <cstdint>
#include <string>
#include <vector>

namespace heddle::clip {

// Iterations of a marked loop that a thread skips, from 1, both ends included.
struct IterationRange {
  std::string thread;  // descent name
  std::string loop;    // its name in the program (abi/hooks.h: HEDDLE_SECTION_LOOPS)
  std::uint32_t first = 0, last = 0;
  bool operator==(const IterationRange&) const = default;
};

// The threads and iterations that an execution skips.
struct Omitted {
  std::vector<std::string> threads;  // descent names of threads that are not started
  std::vector<IterationRange> iterations;
  bool operator==(const Omitted&) const = default;
};

}  // namespace heddle::clip
