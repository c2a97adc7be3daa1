#pragma once
#include <cstddef>
#include <cstdint>

#include "runtime/memory/pointer_map.h"

namespace heddle::runtime {

// The iterations of one loop by one thread. Their numbers increase, so the search among the skipped ranges continues
// where it ended last.
struct IterationCount {
  std::uint64_t key;
  std::uint32_t number;
  std::uint32_t plan;   // the IterationState::plan of `range`
  std::uint64_t range;  // index of the first range that does not end before `number`
};

struct IterationState {
  static constexpr std::size_t kRecent = 64;

  PointerMap<IterationCount*> counts;  // by key
  std::uint32_t plan;                  // changes when the skipped ranges change
  // Cache of the last lookups, because most lookups continue a loop.
  struct Recent {
    std::uint64_t loop;
    std::uint32_t thread;
    IterationCount* count;
  } recent[kRecent];

  // The session may list other ranges now. The counts continue.
  void reset() { ++plan; }
};

}  // namespace heddle::runtime
