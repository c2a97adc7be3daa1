#pragma once
#include <cstdint>
#include <span>
#include <vector>

#include "trace/event.h"
#include "trace/object.h"
#include "trace/tables.h"

namespace heddle::trace {

// The words of the ring that a run has written, from the events that a trace has kept of it: for who listens to runs.
// What is no event - modules, frames, occurrences - does not come back. REQUIRES: the turn changes hands by switches
// only.
class RingEncoder {
 public:
  explicit RingEncoder(std::span<const TraceModule> modules);

  // Returns how many words it has written. REQUIRES: room for kWordsMax of each event.
  static constexpr std::size_t kWordsMax = 3;
  std::size_t encode(std::span<const Event> events, std::uint64_t* words);

 private:
  struct Introduced {
    std::uint64_t head = 0;
    std::uint64_t value = 0;
  };

  std::uint64_t address_of(std::uint64_t object) const {
    return is_in_module(object) ? begins_[module_of(object)] + offset_of(object) : object;
  }

  std::vector<std::uint64_t> begins_;   // by module
  std::vector<Introduced> introduced_;  // by format::compact_slot()
};

}  // namespace heddle::trace
