#pragma once
#include <optional>
#include <string>
#include <vector>

#include "binary/image/comparison.h"
#include "coredump/index/alignment.h"
#include "coredump/index/failing_core.h"
#include "coredump/search/candidates.h"
#include "coredump/search/passing_runs.h"
#include "coredump/search/search.h"
#include "run/verdict/outcome.h"

namespace heddle::coredump {

// The passing run that is compared with the core, and its aligned point.
struct AlignedRun {
  std::optional<ThreadOrder> order;  // none: no run was compared
  AlignedPoint point;
  std::string thread;
  std::string file;  // of the point
  std::uint32_t line = 0;
  std::uint64_t bytes = 0;  // of the program's memory there
  double seconds = 0;
};

// The differences between the core and a run at its aligned point, and the candidates for preemptions of the run.
struct Comparison {
  std::uint64_t variables = 0;
  std::uint64_t differences = 0;
  std::vector<binary::Difference> listed;
  Sharing sharing;
  std::uint64_t candidates = 0;
  double seconds = 0, rank_seconds = 0;
};

struct SearchResult {
  SearchMethod method = SearchMethod::Dependence;
  std::uint64_t tries = 0;
  std::uint64_t other_failures = 0;
  bool exhausted = false;
  Match match = Match::No;
  bool index_matches = false;  // the clip's run fails at the index of the core
  run::Outcome found;
  std::string clip;  // path; empty: no schedule was found
  double seconds = 0;
};

struct CoreReport {
  CoreFacts core;
  bool passed = false;  // false: a sequential run already reproduced the failure, and no run was compared
  AlignedRun aligned;   // the run in which the schedule was found, else the first
  Comparison comparison;
  SearchResult search;
  std::string aligned_core;  // path, with CoreOptions::keep_aligned_core
  bool interrupted = false;
  std::vector<std::string> problems;
};

}  // namespace heddle::coredump
