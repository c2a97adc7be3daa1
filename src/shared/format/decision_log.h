#pragma once
// The log of a systematic search: the choices of a run that had more than one alternative.
#include <cstdint>

#include "format/event.h"

namespace heddle::format {

// A choice; `count` PendingRecords follow.
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

// The words are at SessionConfig::log_offset.
struct DecisionLog {
  std::uint64_t words;      // written so far
  std::uint64_t overflown;  // 1: the log is full, so the search is not complete
};

}  // namespace heddle::format
