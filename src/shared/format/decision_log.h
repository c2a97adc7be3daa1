#pragma once
// What a systematic search reads of a run: its choices with more than one answer.
#include <cstdint>

#include "format/event.h"

namespace heddle::format {

// A choice with more than one answer, as a systematic search logs it; `count` PendingRecords follow.
struct DecisionRecord {
  std::uint64_t step;
  std::uint64_t state;  // SessionProgress::state before the choice: equal for equivalent pasts
  std::uint32_t nth;    // as in Deviation
  std::uint32_t current;
  std::uint32_t chosen;
  std::uint16_t count;
  std::uint8_t question;  // schedule::Question
  std::uint8_t current_runnable;
};

struct PendingRecord {
  std::uint32_t thread;
  std::uint32_t site;
  std::uint64_t object;  // number in order of first use
  EventKind kind;
  bool early;  // the thread waits; its time-out would fire early
  std::uint8_t reserved[6];
};

// The log of a systematic search: words at `log_offset`. A log that is full is `overflown`, and the search not
// complete.
struct DecisionLog {
  std::uint64_t words;  // written
  std::uint64_t overflown;
};

}  // namespace heddle::format
