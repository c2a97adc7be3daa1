#pragma once
// The arrays that a session's configuration points to: which thread runs when, and what threads skip.
#include <cstdint>

#include "format/event.h"
#include "format/run_config.h"

namespace heddle::format {

// One thread keeps the turn for `points` scheduling points; at a preemption the point at which it is stopped is the
// last of them. `check` is the low half of the event hash at that moment.
struct ReplayRun {
  std::uint32_t thread;  // index into the descents
  std::uint32_t points;
  std::uint32_t check;
  std::uint32_t forced;  // 1: after these points the thread blocked or ended; it must not be stopped at the last one
};

// One switch of a replay by site.
struct SiteSwitch {
  std::uint32_t from;  // index into the descents
  std::uint32_t to;
  EventKind kind;           // what `from` was about to do
  std::uint8_t preemption;  // 0: `from` had to stop here (blocked or ended)
  std::uint16_t reserved;
  std::uint32_t occurrence;   // 1: the first time `from` comes here
  std::uint32_t names_begin;  // candidates for the site, into the site names; none: counted by kind
  std::uint32_t names_count;
  // What has no site, or none any more, is found from the thread's last access before it: it is the `after_same`-th
  // operation of its kind since then, and at the latest right before the next access.
  std::uint32_t after_begin = 0;  // candidates for that access; none: not known
  std::uint32_t after_count = 0;
  std::uint32_t after_occurrence = 0;
  std::uint32_t after_same = 0;
};

// One choice of a systematic search that is not the default one.
struct Deviation {
  std::uint64_t step;
  std::uint32_t nth;     // 0: the first choice that is made at this step
  std::uint32_t thread;  // ThreadId
};

// A thread and a loop, and the iterations of it that the thread leaves out, from 1; both ends included.
struct DisabledIterations {
  std::uint64_t key;
  std::uint32_t first, last;
};

constexpr std::uint64_t iteration_key(std::uint64_t descent, std::uint64_t loop) {
  return descent * 0x9e3779b97f4a7c15u + loop;
}

// One of the schedules of a test that is repeated inside the process, and what came of it.
struct RepeatPlan {
  StrategyKind strategy;
  std::uint32_t depth;
  std::uint64_t seed, quantum, length;
};

struct RepeatResult {
  std::uint64_t state;
  std::uint64_t steps;  // of the process, at its end
};

}  // namespace heddle::format
