#pragma once
// The arrays that a session's configuration points to: schedules, and iterations that threads skip.
#include <cstdint>

#include "format/event.h"
#include "format/run_config.h"

namespace heddle::format {

// A part of a schedule in which one thread keeps the turn for `points` scheduling points. A preempted thread stops at
// the last of them. `check` is the low half of the event hash at the end.
struct ReplayRun {
  std::uint32_t thread;  // index into the descents
  std::uint32_t points;
  std::uint32_t check;
  std::uint32_t forced;  // 1: the thread blocked or exited after the last point; it is not preempted there
};

// One switch of a replay by site.
struct SiteSwitch {
  std::uint32_t from;  // index into the descents
  std::uint32_t to;
  EventKind kind;           // the pending operation of `from`
  std::uint8_t preemption;  // 0: `from` blocked or exited here
  std::uint16_t reserved;
  std::uint32_t occurrence;   // 1: the first time `from` reaches this place
  std::uint32_t names_begin;  // candidates for the site, an index into the site names
  std::uint32_t names_count;  // 0: the place is the kind
  // A place without a site, or whose site no longer exists, is located from the thread's last access before it: it is
  // the `after_same`-th operation of its kind since then, at the latest the next access.
  std::uint32_t after_begin = 0;  // candidates for that access; after_count 0: unknown
  std::uint32_t after_count = 0;
  std::uint32_t after_occurrence = 0;
  std::uint32_t after_same = 0;
};

// A choice of a systematic search that differs from the default.
struct Deviation {
  std::uint64_t step;
  std::uint32_t nth;     // number of earlier choices at this step
  std::uint32_t thread;  // ThreadId
};

// A range of iterations of one loop that a thread skips, numbered from 1; both ends included. `key`: iteration_key().
struct DisabledIterations {
  std::uint64_t key;
  std::uint32_t first, last;
};

constexpr std::uint64_t iteration_key(std::uint64_t descent, std::uint64_t loop) {
  return descent * 0x9e3779b97f4a7c15u + loop;
}

// One of the schedules of a test body that is repeated inside the process, and its result.
struct RepeatPlan {
  StrategyKind strategy;
  std::uint32_t depth;
  std::uint64_t seed, quantum, length;
};

struct RepeatResult {
  std::uint64_t state;
  std::uint64_t steps;  // of the process, at the end of the repetition
};

}  // namespace heddle::format
