#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "run/outcome.h"
#include "shrink/laboratory.h"

namespace heddle::shrink {

struct Phase {
  std::string name;
  std::uint64_t rounds = 0;
  std::uint64_t events_removed = 0;
  double seconds = 0;
};

struct ShrinkReport {
  enum class End {
    Written,
    NotReproduced,   // the clip itself does not fail any more
    NotConcurrency,  // it fails in every sequential order, too
  };
  End end = End::NotReproduced;
  run::Outcome outcome;  // of the failure
  Size before, after;
  double before_seconds = 0, after_seconds = 0;  // of one replay
  std::vector<std::string> disabled_threads;
  std::string clip;
  std::uint64_t rounds = 0;
  std::uint64_t steps = 0;  // executed for all of them
  std::vector<Phase> phases;
  double seconds = 0;
  bool out_of_time = false;
  bool interrupted = false;
  std::vector<std::string> problems;
};

}  // namespace heddle::shrink
