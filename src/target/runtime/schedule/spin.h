#pragma once
// Finds threads that spin: that repeat the same few operations without any effect until another thread changes
// something.
//
// A thread that has kept the turn for kSpinCheckPoints is watched at each point. It spins if it has made
// kSpinRepeats operations that it had made before, at the same place and on the same value: reads, writes that change
// nothing, attempts to lock, pairs of lock and unlock. The first operation with an effect ends the
// watch, and the next one begins after twice as many points, so that threads that work are hardly watched.
//
// What a thread counts in a register is not seen: a loop that gives up after a number of attempts counts as spinning
// too. That is harmless. A spinning thread lets the other threads have a turn, as after a yield, and then continues.
#include <cstdint>

#include "runtime/schedule/thread.h"

namespace heddle::runtime {

struct SpinWatch {
  static constexpr std::uint32_t kOperationsMax = 16;  // a spinning loop has fewer different ones

  struct Operation {
    std::uint64_t place;  // site, or kind without one
    const void* object;
    std::uint64_t value;
    bool has_value;
  };
  Operation operations[kOperationsMax];
  std::uint32_t operation_count;
  std::uint32_t repeats;

  std::uint64_t next_check;  // step at which the current thread is watched
  std::uint64_t distance;    // from the last check to this one, in points
  bool watching;

  void begin_turn(std::uint64_t step);
};

enum class SpinFinding : std::uint8_t { Unknown, Works, Spins };

// The current thread is at a point while it is watched.
SpinFinding watch_point(SpinWatch& watch, const Thread* thread);

}  // namespace heddle::runtime
