#pragma once
#include <cstddef>
#include <cstdint>

#include "runtime/memory/pointer_map.h"

namespace heddle::runtime {

// Of one thread and loop. Numbers come in order, so the search for what is left out continues where it ended last.
struct IterationCount {
  std::uint64_t key;
  std::uint32_t number;
  std::uint32_t plan;   // that `range` belongs to
  std::uint64_t range;  // the first that does not end before `number`
};

struct IterationState {
  static constexpr std::size_t kRecent = 64;

  PointerMap<IterationCount*> counts;  // by key
  std::uint32_t plan;                  // how often what is left out has changed
  // Those that were asked for last: a loop continues.
  struct Recent {
    std::uint64_t loop;
    std::uint32_t thread;
    IterationCount* count;
  } recent[kRecent];

  // The session may leave out others now; what was counted stays.
  void reset() { ++plan; }
};

}  // namespace heddle::runtime
