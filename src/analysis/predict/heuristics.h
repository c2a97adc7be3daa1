#pragma once
// The limits of prediction, with their units. Each trades completeness for time: a limit can only miss a prediction,
// never make a wrong one. `heddle predict --exhaustive` lifts those that are members of a struct.
#include <cstddef>
#include <cstdint>

#include "predict/model/model.h"

namespace heddle::predict {

struct CandidateLimits {
  std::size_t instances_max = 4;       // per candidate, spread over the trace; each costs a search for a witness
  std::size_t candidates_max = 1'000;  // per kind: a longer report is not read
};

struct DeadlockLimits {
  unsigned threads_max = 6;             // in one cycle: the search is exponential in it
  std::uint64_t steps_max = 1'000'000;  // dependencies visited: limits the search in a dense lock graph
};

// The effort for one goal at one strength.
struct WitnessEffort {
  std::size_t window_nodes_max = 20'000;  // a larger window is not searched: a check costs at least its size
  std::uint64_t steps_max = 20'000;       // nodes played beyond one pass over each window
  std::uint64_t nodes_max = 40'000;       // nodes of all windows: two of the largest
  unsigned choices_max = 16;              // sets of sections that are tried in another order than the trace's
  unsigned windows_max = 16;              // enough to reach the beginning: each is up to kWiden times the one before

  // The effort below Strict, where failure proves nothing and success proves little.
  WitnessEffort reduced() const { return {window_nodes_max / 10, steps_max / 50, nodes_max / 10, choices_max / 4, 3}; }
};

// Model.
// Writes to a location beyond which it counts as contended without a check: the check is quadratic in them.
inline constexpr std::size_t kContentionWritesMax = 64;

// Candidates.
// Instances of one lock dependency: all its cycles have the same lines.
inline constexpr std::size_t kDependencyInstancesMax = 4;
// Assignments of events tried for one user pattern: limits patterns that match everything.
inline constexpr std::uint64_t kPatternStepsMax = 5'000'000;
// Accesses of other threads on each side of a pair: a small change of the schedule reaches only the nearest.
inline constexpr std::size_t kNeighbours = 6;
// Units: instances of one class; locations of one unit; classes of one kind for one location and thread; lines that
// read, and that write, one location in one unit. Comparing two units costs the product of the last three.
inline constexpr std::size_t kUnitInstancesMax = 3;
inline constexpr std::size_t kUnitLocationsMax = 48;
inline constexpr std::size_t kClassesPerThread = 3;
inline constexpr std::size_t kUnitLinesMax = 4;
// Locations of two units that are compared pair by pair; of these, locations touched at the same lines, which are
// elements of one array and give the same finding.
inline constexpr std::size_t kSharedLocationsMax = 20;
inline constexpr std::uint32_t kSameLinesMax = 2;
// Units with the same sites, and pairs of such units: a loop makes thousands with the same lines.
inline constexpr std::uint32_t kRepeatsMax = 24;

// Witnesses.
// Instances tried below Strict: execution decides about a weaker witness, so one is enough.
inline constexpr std::size_t kLooseInstances = 1;
// Earlier writers searched for one that wrote the value of a read.
inline constexpr std::size_t kOtherWritersMax = 64;
// Clock cells of a window, nodes times threads (16 MB): edges of a larger window are not saturated, which only makes
// the search longer.
inline constexpr std::size_t kClockCellsMax = 4'000'000;
// Rounds of saturation: each adds at least one edge; fewer edges only make the search longer.
inline constexpr unsigned kSaturationRoundsMax = 64;
// The factor between two windows, and the size in nodes below which a window counts as that size: with these, few
// windows cover any trace.
inline constexpr NodeId kWiden = 8;
inline constexpr NodeId kWindowMin = 64;

}  // namespace heddle::predict
