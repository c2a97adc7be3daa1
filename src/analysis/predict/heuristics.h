#pragma once
// The bounds of prediction, with their units. Every one trades completeness for time: what is left out is a prediction
// that is missed, never a wrong one. `heddle predict --exhaustive` takes away those that are members of a struct.
#include <cstddef>
#include <cstdint>

#include "predict/model/model.h"

namespace heddle::predict {

struct CandidateLimits {
  std::size_t instances_max = 4;  // per candidate: each costs a search for a witness; they are spread over the trace
  std::size_t candidates_max = 1'000;  // of one kind; more are counted, not kept: more are not read
};

struct DeadlockLimits {
  unsigned threads_max = 6;  // in one cycle: the search grows with each
  std::uint64_t steps_max =
      1'000'000;  // dependencies looked at, in all: bounds the search where locks form a dense graph
};

// Per goal and strength.
struct WitnessEffort {
  std::size_t window_nodes_max = 20'000;  // larger windows are not searched: a check costs at least their size
  std::uint64_t steps_max = 20'000;       // nodes played beyond the first time through each window
  std::uint64_t nodes_max = 40'000;       // of all windows together: two of the largest
  unsigned choices_max = 16;              // sets of sections that are tried in another order than the trace's
  unsigned windows_max = 16;  // each is up to kWiden times the one before, so that these reach the beginning

  // Below Strict a failed search proves nothing and a success little.
  WitnessEffort lessened() const { return {window_nodes_max / 10, steps_max / 50, nodes_max / 10, choices_max / 4, 3}; }
};

// The model.
// Writes of a location after which it counts as contended without a closer look: the look is quadratic in them.
inline constexpr std::size_t kContentionWritesMax = 64;

// Candidates.
// Instances of one lock dependency: cycles of the same places have the same lines.
inline constexpr std::size_t kDependencyInstancesMax = 4;
// Assignments of events that are tried for one pattern of the user's: bounds patterns that fit everything.
inline constexpr std::uint64_t kPatternStepsMax = 5'000'000;
// Accesses of other threads to each side of a pair: the nearest are those that a small change of the schedule reaches.
inline constexpr std::size_t kNeighbours = 6;
// Units: instances that are kept of one class; locations of one unit; classes of one kind at one location and thread;
// lines that read, and that write, one location in one unit. Comparing two units costs the product of the last three.
inline constexpr std::size_t kUnitInstancesMax = 3;
inline constexpr std::size_t kUnitLocationsMax = 48;
inline constexpr std::size_t kClassesPerThread = 3;
inline constexpr std::size_t kUnitLinesMax = 4;
// Of two units: locations that are compared pair by pair; of these, those touched at the same lines, which are elements
// of an array and say the same.
inline constexpr std::size_t kSharedLocationsMax = 20;
inline constexpr std::uint32_t kAlikeMax = 2;
// Units with the same sites, and pairs of such: a loop makes thousands, which differ in nothing that has a line.
inline constexpr std::uint32_t kRepeatsMax = 24;

// Witnesses.
// Instances that are tried below the strict strength: a weaker witness is executed anyway, so one is enough to decide.
inline constexpr std::size_t kLooseInstances = 1;
// Earlier writers that are looked at for one that wrote the value which a read found.
inline constexpr std::size_t kOtherWritersMax = 64;
// Clocks of a window, nodes times threads (16 MB): beyond it edges are not saturated, which only makes the search
// longer.
inline constexpr std::size_t kClockCellsMax = 4'000'000;
// Rounds of saturation: each adds an edge at least; fewer edges only make the search longer.
inline constexpr unsigned kSaturationRoundsMax = 64;
// How many times larger the next window is, and nodes of the smallest one that is widened: so few windows cover any
// trace.
inline constexpr NodeId kWiden = 8;
inline constexpr NodeId kWindowMin = 64;

}  // namespace heddle::predict
