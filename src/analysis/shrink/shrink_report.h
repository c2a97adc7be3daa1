#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "run/verdict/outcome.h"
#include "shrink/failure_trials.h"
#include "shrink/phases/phases.h"

namespace heddle::shrink {

struct Phase {
  std::string name;
  std::uint64_t rounds = 0;
  std::uint64_t events_removed = 0;
  std::uint64_t steps = 0;  // of its runs
  double seconds = 0;
};

struct ShrinkReport {
  enum class End {
    Written,
    NotReproduced,   // the clip no longer fails
    NotConcurrency,  // the program also fails in every sequential order
  };
  End end = End::NotReproduced;
  run::Outcome outcome;  // of the failure
  Size before, after;
  double before_seconds = 0, after_seconds = 0;  // of one replay
  clip::Omitted omitted;
  std::string clip;
  std::uint64_t rounds = 0;
  std::uint64_t steps = 0;              // of all rounds
  std::uint64_t steps_in_sequence = 0;  // to find an order in which the whole program passes
  std::vector<Phase> phases;
  bool fewest_preemptions = false;  // proven: no schedule with fewer preemptions fails in this way
  double seconds = 0;
  ExecutionReduction::Count dependence;  // of the original
  std::optional<SliceFigures> slice;     // of the first sliced execution; none if slicing was not reached
  std::size_t loops = 0;                 // marked repetitive loops that the original reached
  bool marks_iterations = false;         // the program was built with HEDDLE_HOOKS=iterations
  bool out_of_time = false;
  bool interrupted = false;
  std::vector<std::string> problems;
};

}  // namespace heddle::shrink
